"""Small records for the tests: hits, answers and a pipeline that answers from a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ragcli.evaluate.cases import Case, GoldEvidence
from ragcli.text.asked_question import AskedQuestion
from ragcli.types import Answer, Citation, Hit, Reply


def hit(doc: str, rank: int, text: str = "", title: str = "") -> Hit:
    """Make one hit; its chunk's name is made from document and rank."""
    return Hit(f"{doc}:{rank}", doc, title, 0, len(text), 1, 1, text, 1 / rank, rank)


def hits(*docs: str) -> tuple[Hit, ...]:
    """Make hits of these documents, best first."""
    return tuple(hit(doc, rank) for rank, doc in enumerate(docs, 1))


def citation(doc: str, quote: str = "") -> Citation:
    """Make one citation of a document."""
    return Citation(1, doc, doc, 0, len(quote), 1, 1, quote)


def answer(
    found: Sequence[Hit] = (),
    text: str = "",
    citations: Sequence[Citation] = (),
    mode: str = "naive",
    **timings: float,
) -> Answer:
    """Make an answer; without a text it abstains."""
    reply = Reply(text, tuple(citations), "extractive", abstained=not text)
    return Answer("?", mode, reply, tuple(found), (), 100, timings, 1)


def case(name: str, *docs: str, **fields: object) -> Case:
    """Make a case that wants these documents."""
    evidence = tuple(GoldEvidence(doc=doc) for doc in docs)
    return Case(name, f"Question {name}?", evidence=evidence, **fields)  # type: ignore[arg-type]


class Table:
    """Answers from ``(question, mode) -> documents`` and counts how often it was asked."""

    def __init__(self, found: Mapping[tuple[str, str], Sequence[str]]) -> None:
        self.found = found
        self.asked: list[tuple[str, str]] = []

    def __call__(
        self, asked: AskedQuestion, mode: str, *, top_k: int, documents: int, answer: bool
    ) -> Answer:
        """Answer as ``ask`` does."""
        self.asked.append((asked.text, mode))
        found = self.found[asked.text, mode][: max(top_k, documents)]
        reply = Reply("The answer [1]." if answer else "", (), "extractive", abstained=not answer)
        timings = {"retrieve": 10.0, "answer": 5.0, "total": 15.0}
        return Answer(asked.text, mode, reply, hits(*found), (), 50, timings, 1)
