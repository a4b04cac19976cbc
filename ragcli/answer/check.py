"""A model's sentences, shown one by one after each has been checked against the context.

A sentence is shown if the context bears it out (``claim_check``), with citations of the sentences
that do. The model's own ``[n]`` marks only say where to look first, since small models forget them
or make them up. Unsupported sentences are left out; if none is left, the answer abstains.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragcli.answer.cite import citations, take_marks
from ragcli.answer.claim_check import check_claim
from ragcli.answer.laid import Stretch
from ragcli.answer.notes import searched
from ragcli.text.asked_question import AskedQuestion
from ragcli.text.markup import is_heading, without_bullet
from ragcli.text.names import head_name, numbers_in, person_key
from ragcli.text.words import content_words, counted, plain
from ragcli.types import Context, Part, Reply

if TYPE_CHECKING:
    from ragcli.models.reader import Reader

Emit = Callable[[str], None]

_REFUSAL = re.compile(
    r"\bnot (?:\w+ )?(?:specified|mentioned|stated|given|provided|known|clear|named"
    r"|in the (?:\w+ )?(?:passage|text|context))",
    re.IGNORECASE,
)


BARE_WORDS = 4
"""A reply of so many words is no sentence."""

NOT_EXPECTED = "not what the reader finds"
AGAIN = "like others that are not borne out"

OFTEN = 2
"""Sentences of one pattern that were not borne out; the model goes on with it by itself then."""

SURE = 0.35
"""Confidence of the reader from which its answer counts: the median of right answers is a little
above it."""

SURE_OF_CHOICE = 0.6
"""Confidence of the reader from which its choice between things stands against a written one."""

_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Expected:
    """The reader's own answer to the question, "" for none, and how sure it is."""

    text: str = ""
    confidence: float = 0.0

    def confirms(self, sentence: str) -> bool:
        """Whether the reader, being sure, gives the same answer."""
        return self.confidence >= SURE and agrees(self.text, sentence)

    def excludes(self, sentence: str, asked: AskedQuestion) -> bool:
        """Whether a sentence contradicts it: another one of the things to choose from, or
        bare words that are others. "1951" stands somewhere in most texts. Only the question makes
        it a claim, and who has read the passages for that question is the reader."""
        bare = len(sentence.split()) <= BARE_WORDS
        chosen = self.confidence >= SURE_OF_CHOICE and asked.offers_choice
        return bool(self.text and (bare or chosen)) and not agrees(self.text, sentence)


NOTHING_EXPECTED = Expected()


_ON_PASSAGES = re.compile(
    r"\A\W*(?:this|that|it|the (?:information|answer))\b.{0,60}\b"
    r"(?:mentioned|stated|found|described|seen|given|established|supported|noted|shown)\b"
    r".{0,60}\b(?:in|from|by) (?:the )?passages?\b",
    re.IGNORECASE,
)
"""A sentence about the passages, not about what they tell."""


class Draft:
    """An answer that grows by checked sentences."""

    def __init__(
        self,
        asked: AskedQuestion,
        parts: Sequence[Part],
        emit: Emit,
        reader: Reader | None = None,
        expected: Expected = NOTHING_EXPECTED,
    ) -> None:
        """Without a ``reader`` only the words of a sentence are checked."""
        self._asked = asked
        self._parts = parts
        self._emit = emit
        self._reader = reader
        self._expected = expected
        self._pieces: list[str] = []
        self._quotes: list[Stretch] = []
        self._seen: set[str] = set()
        self._cut: Counter[str] = Counter()
        self._refused: Counter[str] = Counter()

    def take(self, gap: str, sentence: str) -> None:
        """Check one sentence; if the context supports it, add it after ``gap`` with its marks.

        Repetitions, which small models make, and sentences that answer nothing are left out
        without a note.
        """
        text, marks = take_marks(sentence)
        text = without_bullet(text)
        if text in self._seen or not tells(text, self._asked):
            return
        self._seen.add(text)
        quotes, why = self._borne_out(text, marks)
        if not quotes:
            self._cut[why] += 1
            self._refused[_DIGITS.sub("0", text)] += 1
            return
        piece = f"{gap if self._pieces else ''}{text} {self._marks(quotes)}"
        self._pieces.append(piece)
        self._emit(piece)

    def _borne_out(self, text: str, marks: Sequence[int]) -> tuple[Sequence[Stretch], str]:
        """The quotes that bear a sentence out, or none and the reason."""
        if self._expected.excludes(text, self._asked):
            return (), NOT_EXPECTED
        if self._refused[_DIGITS.sub("0", text)] >= OFTEN:
            return (), AGAIN
        checked = check_claim(
            text,
            self._parts,
            self._reader,
            asked_words=self._asked.words,
            marks=marks,
            confirmed=self._expected.confirms(text),
        )
        return checked.quotes, checked.why

    def reply(self, context: Context) -> Reply:
        """Return the answer; it abstains if no sentence was supported."""
        cut = self._cut.total()
        left_out = counted(cut, "sentence")
        reasons = ", ".join(f"{why}: {count}" for why, count in self._cut.most_common())
        kept = len(self._pieces)
        written = kept + cut
        if kept:
            note = f"left out {left_out} that the passages do not support ({reasons})"
            note = note if cut else ""
            text, quotes = "".join(self._pieces), citations(self._quotes)
            return Reply(text, quotes, "llm", note=note, written=written, kept=kept)
        why = "the model gave no answer"
        if cut:
            why = f"the model wrote {left_out} that they do not support ({reasons})"
        elif context.parts and len(self._parts) == len(context.behind):
            why = "none of them fits the model's context"
        note = f"searched {searched(context)}; {why}"
        return Reply("", (), "llm", abstained=True, note=note, written=written)

    def _marks(self, found: Sequence[Stretch]) -> str:
        """Number the quotes by first use and write their marks."""
        for quote in found:
            if quote not in self._quotes:
                self._quotes.append(quote)
        return "".join(f"[{n}]" for n in sorted(self._quotes.index(q) + 1 for q in found))


def is_refusal(text: str) -> bool:
    """Tell whether a sentence says that the passages do not hold the answer.

    >>> is_refusal("Not in the passages."), is_refusal("The price is not stated.")
    (True, True)
    """
    return _REFUSAL.search(text) is not None


def tells(text: str, asked: AskedQuestion) -> bool:
    """Tell whether a sentence may answer: no heading, opening, refusal or echo of the question,
    nothing about the passages themselves.

    >>> which, whether = AskedQuestion("Which hut?"), AskedQuestion("A hut?")
    >>> tells("This is mentioned in Passage 1.", which), tells("It is a passage.", which)
    (False, True)
    >>> tells("The hut is not named.", which), tells("A hut.", whether)
    (False, False)
    >>> tells("Yes, a hut.", whether), tells("The Ysolde hut.", which)
    (True, True)
    >>> older = AskedQuestion("Which is older, Skive or Orlen?")
    >>> tells("Skive is older.", older)  # all its words are there
    True
    """
    about = text.endswith(":") or _ON_PASSAGES.match(text)
    if not text or about or is_heading(text) or is_refusal(text):
        return False
    # "Yes", "no" and one of the things to choose from are the answer, though the rest of the
    # sentence echoes the question.
    judged = text.casefold().startswith(("yes", "no,", "no."))
    offers = asked.offers_choice and " or " not in plain(text) and not text.endswith("?")
    return judged or offers or not set(content_words(text)).issubset(asked.words)


def agrees(short: str, text: str) -> bool:
    """Tell whether a text holds at least half of the words of a short answer.

    Where the answer is a name with an epithet ("the author Mia Holm", "Mia Holm, an author"), only
    the words of the name count. Yes agrees with what does not begin with no, and the other way
    round.

    >>> agrees("in May 1986", "It was made in 1986."), agrees("Skive", "She was born in Aarhus.")
    (True, False)
    >>> agrees("Mia Holm, an author from Skive", "Pia Strand, an author from Skive")
    False
    >>> agrees("no", "Yes, both are."), agrees("yes", "Both are in Skive.")
    (False, True)
    """
    first = text.casefold().split(",")[0].split(".")[0].strip()
    if short in ("yes", "no"):
        return first not in ("yes", "no") or first == short
    name = "" if numbers_in(short) else person_key(head_name(short))
    words = set(content_words(name or short)) or {short.casefold().strip()}
    held = words & (set(content_words(text)) | {text.casefold().strip(" .")})
    return 2 * len(held) >= len(words)
