"""Extractions as bytes for the store: JSON without the text, which the chunk already holds."""

from __future__ import annotations

import orjson

from ragcli.types import Extraction, Mention


def pack(extraction: Extraction) -> bytes:
    """``[by, [[start, end, label, lemma, sentence], ...]]`` as JSON."""
    rows = [[m.start, m.end, m.label, m.lemma, m.sentence] for m in extraction.mentions]
    return orjson.dumps([extraction.by, rows])


def unpack(data: bytes, text: str) -> Extraction:
    """The extraction of ``text`` that ``pack`` wrote; a mention's text has its spaces folded."""
    by, rows = orjson.loads(data)
    return Extraction(
        mentions=tuple(
            Mention(start, end, " ".join(text[start:end].split()), lemma, label, sentence)
            for start, end, label, lemma, sentence in rows
        ),
        by=by,
    )
