"""What one document adds to the graph: resolved mentions, counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ragcli.graph.cooccur import cooccurrences
from ragcli.graph.resolve import Resolved, resolve
from ragcli.types import Chunk, Contribution, Extraction


def contribution(chunks: Sequence[Chunk], extractions: Sequence[Extraction]) -> Contribution:
    """Counts for one document; ``extractions[i]`` is of ``chunks[i].text`` from ``owned`` on."""
    mentions, aliases = resolve(extractions)
    weights, counts = cooccurrences(mentions)
    names: Counter[tuple[str, str, str, bool]] = Counter()
    for m in mentions:
        names[m.key, m.surface, m.label, m.own] += 1
    return Contribution(
        names=dict(names),
        aliases=frozenset(aliases.items()),
        edges={pair: (weight, counts[pair]) for pair, weight in weights.items()},
        chunks=_per_chunk(chunks, mentions),
    )


def _per_chunk(chunks: Sequence[Chunk], mentions: Sequence[Resolved]) -> tuple[dict[str, int], ...]:
    """Mentions by chunk; one in an overlap counts in every chunk that holds it whole."""
    out: list[Counter[str]] = [Counter() for _ in chunks]
    for m in mentions:
        out[m.part][m.key] += 1
        start = chunks[m.part].owned + m.start
        end = chunks[m.part].owned + m.end
        for later in range(m.part + 1, len(chunks)):
            if chunks[later].start > start:
                break
            if end <= chunks[later].end:
                out[later][m.key] += 1
    return tuple(dict(c) for c in out)
