"""Packs extractions as bytes for the store: JSON without the text, which the chunk contains."""

from __future__ import annotations

import orjson

from ragcli.text.words import one_line
from ragcli.types import EntityDescription, Extraction, Findings, Mention, Relation


def pack(extraction: Extraction) -> bytes:
    """Return ``[by, [[start, end, label, lemma, sentence], ...]]`` as JSON."""
    rows = [[m.start, m.end, m.label, m.lemma, m.sentence] for m in extraction.mentions]
    return orjson.dumps([extraction.by, rows])


def unpack(data: bytes, text: str) -> Extraction:
    """Return the extraction of ``text`` that ``pack`` wrote; mentions are put on one line."""
    by, rows = orjson.loads(data)
    return Extraction(
        mentions=tuple(
            Mention(start, end, one_line(text[start:end]), lemma, label, sentence)
            for start, end, label, lemma, sentence in rows
        ),
        by=by,
    )


def pack_findings(findings: Findings) -> bytes:
    """Return ``[by, problem, entities, relations, dropped]`` as JSON; a record is a list of fields.

    ``placed`` follows only if it is true, so findings that are not placed keep their old format.
    """
    entities = [[e.name, e.type, e.description] for e in findings.entities]
    relations = [
        [r.source, r.target, r.keywords, r.description, r.weight] for r in findings.relations
    ]
    row = [findings.by, findings.problem, entities, relations, findings.dropped]
    return orjson.dumps([*row, True] if findings.placed else row)


def unpack_findings(data: bytes) -> Findings:
    """Return the findings that ``pack_findings`` wrote."""
    by, problem, entities, relations, dropped, *placed = orjson.loads(data)
    return Findings(
        entities=tuple(EntityDescription(*row) for row in entities),
        relations=tuple(
            Relation(source, target, tuple(keywords), text, weight)
            for source, target, keywords, text, weight in relations
        ),
        by=by,
        problem=problem,
        dropped=tuple((reason, number) for reason, number in dropped),
        placed=bool(placed),
    )
