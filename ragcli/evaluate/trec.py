"""TREC run and relevance files, for trec_eval, ir_measures and similar tools."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ragcli.evaluate.cases import Case
from ragcli.evaluate.matching import wanted_documents
from ragcli.evaluate.results import Evaluation


def run_file(evaluation: Evaluation, mode: str) -> str:
    """Return the ranked documents of one mode, one ``query Q0 document rank score tag`` per line.

    The score is 1/rank: tools sort by score only, so it must decrease with the rank, which the
    scores of some modes do not.
    """
    return "".join(
        f"{_word(o.case)} Q0 {_word(name)} {rank} {1 / rank:.6f} {_word(mode)}\n"
        for o in evaluation.outcomes
        if o.mode == mode
        for rank, name in enumerate(o.documents, 1)
    )


def relevance_file(cases: Iterable[Case]) -> str:
    """Return the relevant documents (qrels), one ``query 0 document grade`` per line.

    Documents are named as the evidence names them; run files use the same names.
    """
    return "".join(
        f"{_word(case.id)} 0 {_word(item.name)} {item.grade}\n"
        for case in cases
        for item in wanted_documents(case.evidence)
    )


def _word(name: str) -> str:
    """Escape white space as %20 etc., because it separates the fields of the format.

    >>> _word("my notes.txt")
    'my%20notes.txt'
    """
    return re.sub(r"[\s%]", lambda found: "".join(f"%{b:02X}" for b in found[0].encode()), name)
