"""Whether a sentence that a model wrote says what the text it cites says.

First its names and numbers must be there (``cite.sources``). Then a reader estimates whether the
cited text bears the sentence out, and rules look for what readers overlook: names or clauses that
have changed places, another number, a negation (``text.claims``). One weighted sum decides; its
weights were fitted on one half of ``bench/claims.jsonl`` (docs/adr/answers-by-reading.md).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING

from ragcli.answer.cite import sources
from ragcli.answer.laid import Stretch
from ragcli.text.claims import ClaimSource
from ragcli.text.sentences import sentences
from ragcli.text.support import SourceText, support
from ragcli.types import Part

if TYPE_CHECKING:
    from ragcli.models.reader import Reader

LEAST_WORDS = 0.3
"""Share of the sentence's words, besides names and numbers, that its quotes must hold at least."""

AROUND = 700
"""Characters of its passage that are judged on either side of a quote."""

DOUBTED = -1.0
"""Log odds of the reader below which a sentence stands only if it gives the reader's own answer. Of
written answers that the weighted sum alone let pass, most of the untrue lay below, and one in nine
of the true (docs/adr/llm-answers.md)."""

NOT_SAID = "not said there"
ANOTHER_NUMBER = "another number"


@dataclass(frozen=True, slots=True)
class Weights:
    """What each finding adds to the sum; a sentence stands if it is at least 0.

    ``judged`` weighs the log odds that the reader gives, ``words`` the share of the sentence's
    content words that the cited text holds, ``turned`` an exchange of two words that would fit the
    text better (for each run of words gained, up to 3). ``crossed`` and ``number`` were never
    wrong, so they decide alone.
    """

    judged: float = 0.9
    crossed: float = -20.0
    turned: float = -2.0
    number: float = -6.0
    negation: float = -1.8
    words: float = 3.3
    bias: float = -0.4


WEIGHTS = Weights()

UNREAD = Weights(judged=0.0, words=2.0, bias=-1.0)
"""Where no reader has judged: half of the words must be there, and no rule speak against it."""


@dataclass(frozen=True, slots=True)
class ClaimFindings:
    """What is known about a sentence and the text it cites; fields as in ``Weights``.

    ``judged`` is None where there is no reader.
    """

    judged: float | None
    crossed: bool
    turned: int
    number: bool
    negation: bool
    words: float

    @property
    def score(self) -> float:
        """The weighted sum; below 0 the sentence does not stand."""
        weights = UNREAD if self.judged is None else WEIGHTS
        return (
            weights.judged * (self.judged or 0.0)
            + weights.crossed * self.crossed
            + weights.turned * min(self.turned, 3)
            + weights.number * self.number
            + weights.negation * self.negation
            + weights.words * self.words
            + weights.bias
        )

    @property
    def why(self) -> str:
        """What speaks most against the sentence, in words for a note."""
        found = (
            (self.crossed or self.turned > 0, "exchanged or turned round"),
            (self.number, ANOTHER_NUMBER),
            (self.negation, "denied or stated the other way"),
        )
        return next((words for holds, words in found if holds), NOT_SAID)


@dataclass(frozen=True, slots=True)
class Checked:
    """The quotes that bear a sentence out, or none and the reason."""

    quotes: tuple[Stretch, ...]
    why: str = ""


def check_claim(
    sentence: str,
    parts: Sequence[Part],
    reader: Reader | None,
    *,
    asked_words: Collection[str] = (),
    marks: Sequence[int] = (),
    confirmed: bool = False,
) -> Checked:
    """Find the quotes that bear a sentence out; none, and why, if they do not.

    ``asked_words`` are the stems of the question's words. ``confirmed``: the reader's own answer
    to the question is in the sentence.
    """
    quotes = sources(sentence, parts, asked_words=asked_words, marks=marks, least=LEAST_WORDS)
    if not quotes:
        return Checked((), _absent(sentence, parts))
    found = findings(sentence, quotes, reader)
    doubted = found.judged is not None and found.judged < DOUBTED and not confirmed
    return Checked((), found.why) if doubted or found.score < 0 else Checked(quotes)


def findings(sentence: str, quotes: Sequence[Stretch], reader: Reader | None) -> ClaimFindings:
    """Compare a sentence with its quotes and what is around them."""
    cited = [around(quote) for quote in quotes]
    text = "\n".join(dict.fromkeys(cited))
    source = ClaimSource(text)
    return ClaimFindings(
        judged=_judged(sentence, quotes, cited, reader),
        crossed=source.crosses(sentence),
        turned=source.gain_by_exchange(sentence),
        number=source.lacks_number(sentence),
        negation=source.differs_in_negation(sentence),
        words=support(sentence, SourceText(text), exact="nothing"),
    )


def _absent(sentence: str, parts: Sequence[Part]) -> str:
    """Why no quotes hold a sentence's words."""
    everything = SourceText(" ".join(f"{part.title}. {part.text}" for part in parts))
    if not everything.holds_numbers(sentence):
        return ANOTHER_NUMBER
    return NOT_SAID if everything.holds_names(sentence) else "a name that is not there"


def around(quote: Stretch) -> str:
    """The quote with whole sentences of its passage on either side, ``AROUND`` characters each."""
    start, end = quote.start - quote.part.start, quote.end - quote.part.start
    spans = sentences(quote.part.text)
    first = min((a for a, _ in spans if a >= start - AROUND), default=start)
    last = max((b for _, b in spans if b <= end + AROUND), default=end)
    return quote.part.text[min(first, start) : max(last, end)]


def _judged(
    sentence: str, quotes: Sequence[Stretch], cited: Sequence[str], reader: Reader | None
) -> float | None:
    """The reader's log odds for the sentence over all its quotes."""
    if reader is None:
        return None
    title = quotes[0].part.title
    judged = reader.judge([(sentence, 0)], [(title, "\n".join(dict.fromkeys(cited)))])
    likely = min(max(judged[0].probability, 1e-6), 1 - 1e-6)
    return log(likely / (1 - likely))
