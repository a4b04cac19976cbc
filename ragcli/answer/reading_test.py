"""Whether a language model answers from passages: a short test of reading, with made-up facts.

A model is as good at this as its training, not as its size. So it is asked a few questions as
``ask`` would ask it: on facts that nobody can know, beside others like them (another person,
another year, the other direction), and on facts that the passages do not hold. A reply is right if
it holds the answer and nothing that belongs to the others; or, where there is none, says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ragcli.answer.check import is_refusal
from ragcli.answer.cite import take_marks
from ragcli.answer.generate import cleaned
from ragcli.answer.prompt import SYSTEM, message
from ragcli.models.completion import Completer, Prompt
from ragcli.models.reading_scores import ReadingScore
from ragcli.text.asked_question import AskedQuestion
from ragcli.text.words import plain
from ragcli.types import Part

PASS = 0.85
"""Share of the questions that a model must get right to answer by itself (docs/adr/llm-answers.md).
"""

_MAX_TOKENS = 48


@dataclass(frozen=True, slots=True)
class TestQuestion:
    """A question on passages, given as (title, text). Words are alternatives, separated by ``|``.

    ``answer`` is "" if the passages hold none; ``wrong`` are words that no right reply has.
    """

    passages: tuple[tuple[str, str], ...]
    question: str
    answer: str
    wrong: str = ""


_MILL = (
    ("Orlen Mill", "The mill at Orlen was built by Tove Halm in 1874. Jon Berg bought it in 1921."),
    ("Skive Mill", "Pia Strand built the mill at Skive in 1881 and sold it to Tove Halm in 1902."),
)
_CREW = (
    ("The Vega", "The Vega sailed under Captain Ruth Amsel. Her first mate was Emil Korda."),
    ("The Lyra", "Emil Korda was captain of the Lyra, and Ruth Amsel's brother Otto its cook."),
)
_PRICES = (
    ("Tariff", "A berth costs 40 crowns in summer and 25 crowns in winter. Dogs travel free."),
    ("Notice", "From May the berth on the upper deck costs 55 crowns. Bicycles cost 10 crowns."),
)
_VALVE = (
    (
        "Valve V7",
        "V7 must stay closed while the pump runs. It is opened only for cleaning, by two people.",
    ),
    ("Valve V9", "V9 must stay open while the pump runs. It is checked every Friday."),
)
_CHOIR = (
    (
        "Choir",
        "Aldeny's choir has 34 singers. Ana Roos led it until 2011, and since then Leo does.",
    ),
    ("Band", "The band of Aldeny has 21 players and has been led by Ana Roos since 2012."),
)
_HUT = (
    ("Kesh Hut", "The hut at Kesh stands at 2140 metres. It burned down in 1956; no one was hurt."),
    ("Brenn Hut", "The hut on the Brenn, at 1980 metres, was sold by the nuns to a club in 1974."),
)

QUESTIONS = (
    TestQuestion(_MILL, "Who built the mill at Orlen?", "tove halm", "pia strand|jon berg"),
    TestQuestion(_MILL, "When was the mill at Skive sold?", "1902", "1881|1874|1921"),
    TestQuestion(_MILL, "What did Jon Berg pay for the mill at Orlen?", ""),
    TestQuestion(_CREW, "Who was captain of the Lyra?", "korda", "ruth|amsel"),
    TestQuestion(_CREW, "Which ship had Otto as its cook?", "lyra", "vega"),
    TestQuestion(_CREW, "Who was the cook of the Vega?", ""),
    TestQuestion(_PRICES, "How much is a berth in winter?", "25", "40|55|10"),
    TestQuestion(_PRICES, "What must be paid for a bicycle?", "10", "40|25|55"),
    TestQuestion(_PRICES, "How much does a cabin with a window cost?", ""),
    TestQuestion(_VALVE, "Which valve is closed while the pump runs?", "v7", "v9"),
    TestQuestion(_VALVE, "On which day is V9 checked?", "friday"),
    TestQuestion(_VALVE, "Who makes valve V7?", ""),
    TestQuestion(_CHOIR, "Who leads the choir of Aldeny today?", "leo", "ana|roos"),
    TestQuestion(_CHOIR, "Which has more members, the choir or the band?", "choir|singers"),
    TestQuestion(_HUT, "Which of the two huts stands higher?", "kesh", "brenn"),
    TestQuestion(_HUT, "How many guests slept in the Brenn hut in 1974?", ""),
)


def reading_test(model: Completer) -> ReadingScore:
    """Ask a model all questions; takes about 3,000 tokens."""
    missed = tuple(
        QUESTIONS[at].question
        for at, reply in sorted(model.complete(_prompts()), key=lambda pair: pair[0])
        if not is_right(reply.text, QUESTIONS[at])
    )
    right = len(QUESTIONS) - len(missed)
    return ReadingScore(right, len(QUESTIONS), right >= PASS * len(QUESTIONS), missed)


def _prompts() -> Iterator[Prompt]:
    for test in QUESTIONS:
        parts = tuple(
            Part(n, str(n), title, 0, len(text), 1, 1, text)
            for n, (title, text) in enumerate(test.passages, 1)
        )
        yield Prompt(SYSTEM, message(AskedQuestion(test.question), parts), _MAX_TOKENS)


def is_right(reply: str, test: TestQuestion) -> bool:
    """Tell whether a reply is right.

    >>> one = TestQuestion((), "When?", "1902", "1881")
    >>> is_right("In 1902 [2].", one), is_right("Built in 1881, sold in 1902.", one)
    (True, False)
    >>> is_right("Not in the passages.", one), is_right("Not in the passages.", QUESTIONS[2])
    (False, True)
    """
    text = take_marks(cleaned(reply))[0]
    if not test.answer:
        return not text or is_refusal(text)
    said = f" {plain(text)} "

    def holds(words: str) -> bool:
        return any(f" {word} " in said for word in words.split("|") if word)

    return holds(test.answer) and not holds(test.wrong)
