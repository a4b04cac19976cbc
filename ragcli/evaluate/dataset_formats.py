"""One parser for each question format: it converts a record with its location to a case.

Each raises InputError with the location and what was expected. A record without an id gives a case
with the id ""; ``datasets`` selects the parser of a file and assigns missing ids.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ragcli.evaluate.cases import Case, GoldEvidence
from ragcli.evaluate.record_fields import Record, flag, optional, refuse, text, texts


def own(where: str, record: Record) -> Case:
    """Read ragcli's own format; only "question" is required.

    ``{"id", "question", "answer": text or [text], "evidence": [doc or {"doc", "title", "quote"}],
    "choices": [text], "type", "source", "answerable": bool}``. With choices, the answer is the
    text of one of them or its letter ("A" is the first). ``"answer": null`` means that there is no
    answer, like ``"answerable": false``; without "answer" the answer is unknown.
    """
    choices = texts(record, "choices", where)
    answers = texts(record, "answer", where)
    return Case(
        id=optional(record, "id", where),
        question=text(record, "question", where),
        answers=_chosen(answers, choices, where) if choices else answers,
        evidence=_own_evidence(record, where),
        choices=choices,
        type=optional(record, "type", where),
        source=optional(record, "source", where),
        answerable=flag(record, "answerable", where, record.get("answer", "") is not None),
    )


def _chosen(answers: tuple[str, ...], choices: tuple[str, ...], where: str) -> tuple[str, ...]:
    """Replace letters with the texts of the choices; raises if an answer is not a choice."""
    letters = {chr(ord("A") + place): choice for place, choice in enumerate(choices)}
    named = tuple(answer if answer in choices else letters.get(answer, "") for answer in answers)
    if "" in named:
        raise refuse(where, 'one of "choices", or its letter, in "answer"', answers)
    return named


def _own_evidence(record: Record, where: str) -> tuple[GoldEvidence, ...]:
    items = record.get("evidence")
    items = [] if items is None else items if isinstance(items, list) else [items]
    return tuple(_own_item(item, where) for item in items)


def _own_item(item: Any, where: str) -> GoldEvidence:
    if isinstance(item, str) and item.strip():
        return GoldEvidence(doc=item.strip())
    if isinstance(item, dict):
        doc, title, quote = (
            optional(item, key, where) or None for key in ("doc", "title", "quote")
        )
        if doc or title or quote:
            return GoldEvidence(doc, title, quote)
    raise refuse(where, 'a document id or {"doc", "title", "quote"} in "evidence"', item)


def hotpot(where: str, record: Record) -> Case:
    """Read HotpotQA's record (Yang et al. 2018; 2WikiMultihopQA shares the layout).

    ``supporting_facts`` is ``[[title, sentence number], ...]`` and ``context``
    ``[[title, [sentence, ...]], ...]``, or both as columns ``{"title": [...], ...}``. The quote is
    the sentence; numbers past the end (there are some in the published files) leave it out.
    """
    try:
        facts = _pairs(record["supporting_facts"], "title", "sent_id")
        context = dict(_pairs(record.get("context") or [], "title", "sentences"))
        evidence = tuple(_fact(str(title), int(n), context.get(title, ())) for title, n in facts)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise refuse(where, '"supporting_facts" as [[title, number], ...]') from error
    return Case(
        id=optional(record, "_id", where) or optional(record, "id", where),
        question=text(record, "question", where),
        answers=texts(record, "answer", where),
        evidence=evidence,
        type=optional(record, "type", where),
    )


def _pairs(value: Any, first: str, second: str) -> list[tuple[Any, Any]]:
    if isinstance(value, dict):
        return list(zip(value[first], value[second], strict=True))
    return [(left, right) for left, right in value]


def _fact(title: str, number: int, sentences: Sequence[str]) -> GoldEvidence:
    quote = sentences[number].strip() if 0 <= number < len(sentences) else ""
    return GoldEvidence(title=title, quote=quote or None)


def musique(where: str, record: Record) -> Case:
    """Read MuSiQue's record (Trivedi et al. 2022): ``paragraphs`` with ``is_supporting``.

    Several paragraphs of a set share a title, so the paragraph's text is the quote. The type is
    the id up to "__" ("2hop", "3hop1", ...), as the authors name theirs.
    """
    name = optional(record, "id", where)
    hops = name.split("__")[0] if "__" in name else ""
    return Case(
        id=name,
        question=text(record, "question", where),
        answers=texts(record, "answer", where) + texts(record, "answer_aliases", where),
        evidence=_paragraphs(record, where),
        type=optional(record, "type", where) or hops,
        answerable=flag(record, "answerable", where, True),
    )


def _paragraphs(record: Record, where: str) -> tuple[GoldEvidence, ...]:
    paragraphs = record.get("paragraphs")
    if not isinstance(paragraphs, list) or not all(isinstance(p, dict) for p in paragraphs):
        raise refuse(where, 'a list of objects in "paragraphs"', paragraphs)
    return tuple(
        GoldEvidence(
            title=text(p, "title", where), quote=optional(p, "paragraph_text", where) or None
        )
        for p in paragraphs
        if p.get("is_supporting")
    )


def table(where: str, record: Record) -> Case:
    """Read a row of a CSV file with a column "question".

    Read when there: id, answer, evidence (document ids, ";" between them), type, source.
    """
    documents = [part.strip() for part in optional(record, "evidence", where).split(";")]
    return Case(
        id=optional(record, "id", where),
        question=text(record, "question", where),
        answers=texts(record, "answer", where),
        evidence=tuple(GoldEvidence(doc=doc) for doc in documents if doc),
        type=optional(record, "type", where),
        source=optional(record, "source", where),
    )


def beir(where: str, record: Record, judged: Mapping[str, Mapping[str, int]]) -> Case:
    """Join BEIR's query (Thakur et al. 2021) with ``judged[query][document] = grade``."""
    name = text(record, "_id", where)
    evidence = tuple(GoldEvidence(doc=doc, grade=grade) for doc, grade in judged[name].items())
    return Case(name, text(record, "text", where), evidence=evidence)


def beir_judgements(lines: Iterable[tuple[str, str]]) -> dict[str, dict[str, int]]:
    """Read qrels lines ``query<TAB>document<TAB>grade`` (a heading is skipped).

    Grades of 0 and less mean "not relevant", the same as no line at all, and are dropped; the
    query stays. Lines of four fields (TREC: query, iteration, document, grade) are read too.
    """
    judged: dict[str, dict[str, int]] = {}
    for number, (where, line) in enumerate(lines):
        fields = line.split("\t") if "\t" in line else line.split()
        fields = fields[:1] + fields[-2:] if len(fields) == 4 else fields
        if not line.strip() or (number == 0 and fields[-1].strip().lower() in {"score", "grade"}):
            continue
        try:
            query, doc, grade = fields[0].strip(), fields[1].strip(), int(fields[2])
        except (IndexError, ValueError) as error:
            raise refuse(where, "query, document and whole grade, tabs between", line) from error
        grades = judged.setdefault(query, {})
        if grade > 0:
            grades[doc] = grade
    return judged
