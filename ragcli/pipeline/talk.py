"""A conversation: questions one after another in one open store, follow-ups made whole.

    "Who keeps the Ysolde hut?"  "And when was it built?"
 -> "And when was it built? (Ysolde hut)"

By rule, so that it works without a language model and says what it did: a question that leans on
what went before (it has a pronoun and names nothing, or opens with "and", "what about") gets the
names of the last question added, or, when that had none, those that its answer quotes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragcli.config import Settings
from ragcli.pipeline.ask import ask_in
from ragcli.retrieve.question import Match, find_entities
from ragcli.retrieve.space import Space
from ragcli.types import Answer

MAX_NAMES = 3

_PRONOUN = re.compile(
    r"\b(?:he|him|his|she|hers?|it|its|they|them|their|theirs|this|that|these|those|there|then"
    r"|one|ones|the (?:same|former|latter|other))\b",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"\s*(?:and|but|or|so|also|what about|how about|what of|why)\b", re.IGNORECASE
)
_ARTICLE = re.compile(r"^(?:the|an?)\s+", re.IGNORECASE)
_SHORT = 4  # words: "Since when?" leans on what was said


def leans(text: str, names: Sequence[str]) -> bool:
    """Whether a question needs what went before to be understood.

    >>> leans("When was it built?", []), leans("When was the hut built?", ["hut"])
    (True, False)
    >>> leans("And Jon Berg?", ["Jon Berg"]), leans("Since when?", [])
    (True, True)
    """
    if _OPENING.match(text):
        return True
    return not names and (bool(_PRONOUN.search(text)) or len(text.split()) <= _SHORT)


class Talk:
    """Keeps what the last turns named."""

    def __init__(self, space: Space, settings: Settings) -> None:
        self._space = space
        self._settings = settings
        self._names: list[str] = []
        space.hold()

    def whole(self, text: str) -> str:
        """The question as it is asked: itself, or with the names that it leans on."""
        own = self._said(text)
        missing = [name for name in self._names if name.casefold() not in text.casefold()]
        if not missing or not leans(text, own):
            return text
        return f"{text} ({', '.join(missing[:MAX_NAMES])})"

    def ask(self, text: str) -> Answer:
        """Answer a turn, and remember what it was about."""
        question = self.whole(text)
        answer = ask_in(self._space, question, self._settings)
        quotes = " ".join(c.quote for c in answer.reply.citations[:1])
        self._names = self._said(question) or self._said(quotes)[:MAX_NAMES] or self._names
        return answer

    def _said(self, text: str) -> list[str]:
        """The names in a text that the store knows, as the text spells them."""
        found: Sequence[Match] = find_entities(self._space.db, text)
        said = (_ARTICLE.sub("", text[m.start : m.end]) for m in found if m.named)
        return list(dict.fromkeys(said))
