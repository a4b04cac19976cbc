"""A conversation: questions one after another in one open store, follow-ups made whole.

    "Who keeps the Ysolde hut?"  "And when was it built?"
 -> "And when was it built? (Ysolde hut)"

By rule, so that it works without a language model and says what it did: a question that leans on
what went before (it has a pronoun and names nothing, or opens with "and", "what about") gets the
names of the last question added, or, when that had none, those that its answer quotes. A model
that is big enough, or that the user wants asked, may write it anew (``answer.follow_up``); where
what it writes cannot be trusted the rule stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import chain

from ragcli.answer.follow_up import TURNS, Turn, leans, prompt, standalone
from ragcli.asking.ask import answerer, ignore
from ragcli.asking.several import NamedIndex, ask_stores
from ragcli.config import Settings
from ragcli.errors import ConfigError, ModelError
from ragcli.models import BIG_MODEL_PARAMETERS
from ragcli.models.completion import Completer
from ragcli.models.locate import llm_file
from ragcli.models.open_llm import open_llm
from ragcli.retrieve import Helpers
from ragcli.retrieve.question import find_entities
from ragcli.types import Answer

MAX_NAMES = 3

_ARTICLE = re.compile(r"^(?:the|an?)\s+", re.IGNORECASE)
# Words that begin sentences of other languages in capitals, and that the store may have as names.
_FOREIGN = frozenset(
    "das der die ein eine wann warum was welche welcher wer wie wo el la las los qué quién il lo"
    " gli le les un une qui quand het een wat wie".split()
)


def rewriter(settings: Settings) -> Completer | None:
    """The model that makes follow-ups whole, None where the rule does.

    ``auto`` is the one that answers, if it is big. Raises ConfigError, ModelError.
    """
    if settings.follow_ups not in ("auto", "rule", "llm"):
        raise ConfigError(
            f"unknown way to make follow-ups whole {settings.follow_ups!r}",
            "choose one of: auto, rule, llm",
        )
    if settings.follow_ups == "llm":
        file = llm_file(settings.llm)
        if file is None:
            raise ModelError(
                "no language model to make follow-ups whole",
                'name a GGUF file with --llm, or run: pip install "ragcli[smollm2]"',
            )
        return open_llm(file, settings)
    _, llm = answerer(settings) if settings.follow_ups == "auto" else ("", None)
    return llm if llm and llm.parameters >= BIG_MODEL_PARAMETERS else None


class Talk:
    """Keeps what the last turns named and said."""

    def __init__(self, stores: Sequence[NamedIndex], settings: Settings, helpers: Helpers) -> None:
        """``stores``: at least one; all have the same embedder."""
        self.stores = stores
        self.settings = settings
        """What the next turns search, and how."""
        self._helpers = helpers
        self._names: list[str] = []
        self._turns: list[Turn] = []
        self._model = rewriter(settings)
        for store in stores:
            store.index.hold()

    def whole(self, text: str) -> str:
        """The question as it is asked: itself, or with what it leans on."""
        own = self._said(text)
        if self._model and self._turns and (leans(text, own) or not own):
            ((_, reply),) = self._model.complete([prompt(self._turns, text)])
            if found := standalone(reply.text, self._turns, text):
                return found
        missing = [name for name in self._names if name.casefold() not in text.casefold()]
        if not missing or not leans(text, own):
            return text
        return f"{text} ({', '.join(missing[:MAX_NAMES])})"

    def ask(self, text: str, on_text: Callable[[str], None] = ignore) -> Answer:
        """Answer a turn, and remember what it was about. ``on_text`` as in ``asking.ask``."""
        question = self.whole(text)
        answer = ask_stores(self.stores, question, self.settings, self._helpers, on_text)
        self.remember(question, answer.reply.text, [c.quote for c in answer.reply.citations])
        return answer

    def remember(self, question: str, answer: str, quotes: Iterable[str]) -> None:
        """Remember a turn, so that the next one may lean on it."""
        self._turns = [*self._turns, Turn(question, answer)][-TURNS:]
        quoted = " ".join([*quotes][:1])
        self._names = self._said(question) or self._said(quoted)[:MAX_NAMES] or self._names

    def _said(self, text: str) -> list[str]:
        """The names in a text that a store knows, as the text spells them."""
        found = chain.from_iterable(
            find_entities(store.index.snapshot.entities, text) for store in self.stores
        )
        said = (_ARTICLE.sub("", text[m.start : m.end]) for m in found if m.named)
        # "A second paragraph" begins with a name that is none without its article.
        names = [name for name in dict.fromkeys(said) if not name.islower()]
        return [name for name in names if name.casefold() not in _FOREIGN]
