"""The records of an evaluation's input: what is asked and what would be right."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GoldEvidence:
    """One thing that a good retrieval finds.

    At least one field is set. ``doc`` is a document id or the end of one (see
    ``matching.same_doc``), ``title`` stands for the document where a set has no ids, ``quote`` is
    text to be found inside it. ``grade`` is the gain in nDCG (1 unless graded qrels say more).
    """

    doc: str | None = None
    title: str | None = None
    quote: str | None = None
    grade: int = 1

    @property
    def name(self) -> str:
        """What to call it in a report: the document, else its title, else the quote."""
        return self.doc or self.title or self.quote or ""


@dataclass(frozen=True, slots=True)
class Case:
    """One question with what is known about its answer; every list may be empty.

    ``source`` names the document that the question is about when that is all a set tells.
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


@dataclass(frozen=True, slots=True)
class Dataset:
    """A named list of cases; ids are unique."""

    name: str
    cases: tuple[Case, ...]


def sample(cases: Sequence[Case], size: int, seed: int = 0) -> tuple[Case, ...]:
    """Choose ``size`` cases, the same ones whatever their order, and keep that order.

    Cases are ranked by SHA-256 of seed and id and the first ``size`` are taken. So a sample of 10
    is part of the sample of 20, and a case added to the file replaces at most one other.
    """

    def draw(case: Case) -> bytes:
        return hashlib.sha256(f"{seed}\0{case.id}".encode()).digest()

    chosen = {case.id for case in sorted(cases, key=draw)[: max(size, 0)]}
    return tuple(case for case in cases if case.id in chosen)
