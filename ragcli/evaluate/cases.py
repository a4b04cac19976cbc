"""The records of an evaluation's input: questions and expected results."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from ragcli.text.asked_question import AskedQuestion


@dataclass(frozen=True, slots=True)
class GoldEvidence:
    """One piece of evidence that retrieval should find.

    At least one field is set. ``doc`` is a document id or the end of one (see
    ``matching.same_doc``), ``title`` identifies the document in sets without ids, ``quote`` is text
    in the document. ``grade`` is the gain in nDCG (1 without graded qrels).
    """

    doc: str | None = None
    title: str | None = None
    quote: str | None = None
    grade: int = 1

    @property
    def name(self) -> str:
        """Its name in a report: the document, otherwise its title, otherwise the quote."""
        return self.doc or self.title or self.quote or ""


@dataclass(frozen=True, slots=True)
class Case:
    """One question and what is known about its answer; every list may be empty.

    ``source`` names the document that the question is about, if the set gives nothing else.
    ``type`` groups cases in reports. ``answerable`` False: the right answer is to abstain.
    """

    id: str
    question: str
    answers: tuple[str, ...] = ()
    evidence: tuple[GoldEvidence, ...] = ()
    choices: tuple[str, ...] = ()
    type: str = ""
    source: str = ""
    answerable: bool = True

    @property
    def asked(self) -> AskedQuestion:
        """The question as it is taken to be asked."""
        return AskedQuestion(self.question)


@dataclass(frozen=True, slots=True)
class Dataset:
    """A named list of cases; ids are unique."""

    name: str
    cases: tuple[Case, ...]


def sample(cases: Sequence[Case], size: int, seed: int = 0) -> tuple[Case, ...]:
    """Choose ``size`` cases independently of their order, and keep their order.

    Cases are ranked by SHA-256 of seed and id, and the first ``size`` are selected. So the sample
    of 10 is part of the sample of 20, and a case added to the file replaces at most one other.
    """

    def draw(case: Case) -> bytes:
        return hashlib.sha256(f"{seed}\0{case.id}".encode()).digest()

    chosen = {case.id for case in sorted(cases, key=draw)[: max(size, 0)]}
    return tuple(case for case in cases if case.id in chosen)
