"""The sentences of fourteen languages, against a small set whose ends were marked by hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ragcli.text.sentences import sentences

GOLD = Path(__file__).parent.parent / "data" / "sentences.txt"
LEAST = {"fr": 0.8, "es": 0.8, "it": 0.85, "pl": 0.85, "nl": 0.9, "ru": 0.9}
"""The least F1 of languages whose abbreviations are not all known; the others have 1."""


def paragraphs() -> Iterator[tuple[str, str, set[int]]]:
    """A language, a text, and the offsets at which its sentences end."""
    language = ""
    for line in GOLD.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            language = line[2:]
            continue
        marked = line.split(" | ")
        space = "" if language in ("zh", "ja") else " "
        ends, at = set(), 0
        for sentence in marked:
            at += len(sentence)
            ends.add(at)
            at += len(space)
        yield language, space.join(marked), ends


def test_sentences_end_where_they_were_marked() -> None:
    """F1 of the ends per language, and of all."""
    counts: dict[str, list[int]] = {}
    for language, text, ends in paragraphs():
        found = {end for _, end in sentences(text)}
        row = counts.setdefault(language, [0, 0])
        row[0] += 2 * len(found & ends)
        row[1] += len(found) + len(ends)
    assert len(counts) == 14
    for language, (right, all_) in counts.items():
        assert right / all_ >= LEAST.get(language, 1), language
    assert sum(r for r, _ in counts.values()) / sum(a for _, a in counts.values()) >= 0.94
