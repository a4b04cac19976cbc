"""Reads and writes recorded extractions, the findings of another machine or tool, as JSON Lines.

The format is described in docs/extractions.md. This module is pure: lines in, findings out.
``enriching.recorded_extractions`` matches the lines to chunks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

import orjson

from ragcli.corpus.normalised_text import normalise
from ragcli.errors import InputError
from ragcli.text.names import WordPlaces
from ragcli.text.words import one_line
from ragcli.types import EntityDescription, Findings, Relation

MAX_NAME_CHARS = 120
WEIGHTS = (1, 10)
OTHER = "other"
BY = "recorded"


@dataclass(frozen=True, slots=True)
class Record:
    """One line. ``sha256`` hashes the folded text; missing values are "" or None."""

    number: int
    sha256: str
    doc: str
    start: int | None
    end: int | None
    text: str
    findings: Findings


def text_sha256(text: str) -> str:
    """Return the hash of a text in normalised form, with each run of white space as one space."""
    return sha256(one_line(normalise(text)[0]).encode()).hexdigest()


def write(text: str, doc: str, start: int, end: int, findings: Findings) -> dict[str, Any]:
    """Return the line for the findings of ``text``, which is ``start:end`` of ``doc``."""
    return {
        "text_sha256": text_sha256(text),
        "doc": doc,
        "start": start,
        "end": end,
        "by": findings.by,
        "problem": findings.problem,
        "entities": [
            {"name": e.name, "type": e.type, "description": e.description}
            for e in findings.entities
        ],
        "relations": [
            {
                "source": r.source,
                "target": r.target,
                "keywords": r.keywords,
                "description": r.description,
                "weight": r.weight,
            }
            for r in findings.relations
        ],
    }


def parse(lines: Iterable[bytes]) -> Iterator[Record]:
    """Yield the records of non-blank lines. Raises InputError with the line's number."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield _record(number, orjson.loads(line))
        except (ValueError, TypeError) as error:
            raise InputError(
                f"line {number} of the extractions: {error}",
                "the format is described in docs/extractions.md",
            ) from error


def _record(number: int, raw: Any) -> Record:
    if not isinstance(raw, dict):
        raise ValueError("expected a JSON object")
    text = _text(raw, "text")
    given = _text(raw, "text_sha256").lower()
    doc = _text(raw, "doc")
    if not (text or given or doc):
        raise ValueError('needs "text_sha256", "text" or "doc"')
    entities = {e.name: e for e in map(_entity, _list(raw, "entities"))}
    relations = tuple(map(_relation, _list(raw, "relations")))
    for relation in relations:
        for name in (relation.source, relation.target):
            entities.setdefault(name, EntityDescription(name, OTHER, ""))
    by = _text(raw, "by") or BY
    found = Findings(tuple(entities.values()), relations, by, _text(raw, "problem"))
    digest = text_sha256(text) if text else given
    return Record(number, digest, doc, _offset(raw, "start"), _offset(raw, "end"), text, found)


def _text(raw: dict[str, Any], name: str) -> str:
    value = raw.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValueError(f'"{name}" is not a string: {value!r}')
    return value


def _offset(raw: dict[str, Any], name: str) -> int | None:
    value = raw.get(name)
    if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 0):
        raise ValueError(f'"{name}" is not an offset: {value!r}')
    return value


def _list(raw: dict[str, Any], name: str) -> list[dict[str, Any]]:
    values = raw.get(name) or []
    if not isinstance(values, list) or not all(isinstance(v, dict) for v in values):
        raise ValueError(f'"{name}" is not a list of objects')
    return values


def _name(raw: dict[str, Any], name: str) -> str:
    value = one_line(_text(raw, name))
    if not value or len(value) > MAX_NAME_CHARS:
        raise ValueError(f'"{name}" must have 1 to {MAX_NAME_CHARS} characters: {value[:150]!r}')
    return value


def _entity(raw: dict[str, Any]) -> EntityDescription:
    kind = _text(raw, "type").strip().lower() or OTHER
    return EntityDescription(_name(raw, "name"), kind, one_line(_text(raw, "description")))


def _relation(raw: dict[str, Any]) -> Relation:
    keywords = raw.get("keywords") or []
    if isinstance(keywords, str):
        keywords = keywords.split(",")
    if not isinstance(keywords, list) or not all(isinstance(k, str) for k in keywords):
        raise ValueError('"keywords" is neither a string nor a list of strings')
    weight = raw.get("weight", 1)
    if isinstance(weight, bool) or not isinstance(weight, int | float):
        raise ValueError(f'"weight" is not a number: {weight!r}')
    low, high = WEIGHTS
    return Relation(
        _name(raw, "source"),
        _name(raw, "target"),
        tuple(dict.fromkeys(k for word in keywords if (k := one_line(word)))),
        one_line(_text(raw, "description")),
        min(max(round(weight), low), high),
    )


def share_out(findings: Findings, texts: Sequence[str]) -> list[Findings]:
    """Divide the findings of a long text among its parts, in order.

    An entity goes to every part that names it. A relation goes to every part that names both ends,
    or else to those that name one. Findings that no part names go to the first part, because
    another tool may use other words than the text.
    """
    if len(texts) == 1:
        return [findings]
    parts = [WordPlaces(text) for text in texts]

    def where(*names: str) -> set[int]:
        found = {i for i, part in enumerate(parts) if all(part.find(n) for n in names)}
        if not found and len(names) > 1:
            return where(names[0]) | where(names[1])
        return found

    homes = {e.name: where(e.name) for e in findings.entities}
    related = [(r, where(r.source, r.target) or {0}) for r in findings.relations]
    for relation, at in related:
        homes[relation.source] |= at
        homes[relation.target] |= at
    out = []
    for i in range(len(texts)):
        entities = tuple(e for e in findings.entities if i in (homes[e.name] or {0}))
        relations = tuple(r for r, at in related if i in at)
        out.append(replace(findings, entities=entities, relations=relations))
    return out


def merge(first: Findings, second: Findings) -> Findings:
    """Merge two findings without duplicates. The result is placed if one of them is."""
    return Findings(
        tuple(dict.fromkeys(first.entities + second.entities)),
        tuple(dict.fromkeys(first.relations + second.relations)),
        first.by,
        first.problem and second.problem,
        placed=first.placed or second.placed,
    )
