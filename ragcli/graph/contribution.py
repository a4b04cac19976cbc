"""Computes a document's contribution to the graph: counts of its resolved mentions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ragcli.graph.cooccurrence import cooccurrences
from ragcli.graph.model_mentions import ChunkMentions, Said, is_alone, place
from ragcli.graph.resolve import MAX_KEY_CHARS, Resolved, resolve, run_mentions
from ragcli.text.names import title_names
from ragcli.types import Chunk, Contribution, Extraction, Findings

# The label of a title that does not occur in the text.
TITLE_LABEL = "MISC"


def contribution(
    chunks: Sequence[Chunk],
    extractions: Sequence[Extraction],
    title: str = "",
    findings: Sequence[Findings | None] = (),
) -> Contribution:
    """Return the contribution of one document.

    ``extractions[i]`` and ``findings[i]`` refer to ``chunks[i].text`` from ``owned`` on. Findings
    are None, or missing altogether, if no language model read the chunk. In a chunk that only a
    model read (``is_alone``), only the model's names count.
    """
    findings = findings or [None] * len(chunks)
    placed, mentions, runs, aliases = _found(chunks, extractions, findings)
    titles = _titles(title, {m.key: m.label for m in mentions})
    said = Said(aliases, [m.key for m in titles])
    for part, found in enumerate(findings):
        if found is not None:
            said.take(part, placed[part], found)
    everything = [*mentions, *runs, *titles]
    weights, counts = cooccurrences(everything)
    for pair, weight in said.weights.items():
        weights[pair] = weights.get(pair, 0) + weight
    names: Counter[tuple[str, str, str, bool]] = Counter()
    for m in everything:
        names[m.key, m.surface, m.label, m.own] += 1
    return Contribution(
        names=dict(names),
        aliases=frozenset(aliases.items()),
        edges={pair: (weight, counts.get(pair, 0)) for pair, weight in weights.items()},
        chunks=_per_chunk(chunks, everything),
        passages=_per_passage(chunks, [*(m for m in mentions if m.label), *runs]),
        titles=tuple(m.key for m in titles),
        descriptions=tuple(said.descriptions),
        statements=tuple(said.statements),
    )


def mentions_in(
    chunks: Sequence[Chunk],
    extractions: Sequence[Extraction],
    findings: Sequence[Findings | None] = (),
) -> list[Resolved]:
    """Return all mentions in the owned texts of the chunks, without names of the title."""
    _, mentions, runs, _ = _found(chunks, extractions, findings or [None] * len(chunks))
    return mentions + runs


def _found(
    chunks: Sequence[Chunk],
    extractions: Sequence[Extraction],
    findings: Sequence[Findings | None],
) -> tuple[list[ChunkMentions], list[Resolved], list[Resolved], dict[str, str]]:
    """Return mentions by chunk, the same resolved, the capitalised runs, and the aliases."""
    texts = [c.text[c.owned - c.start :] for c in chunks]
    placed = [place(*found) for found in zip(texts, extractions, findings, strict=True)]
    mentions, aliases = resolve([p.extraction for p in placed])
    read = ["" if is_alone(f) else text for text, f in zip(texts, findings, strict=True)]
    return placed, mentions, run_mentions(read, mentions, aliases), aliases


def _titles(title: str, labels: dict[str, str]) -> list[Resolved]:
    """Return the names of a title as mentions at the start of the first sentence."""
    return [
        Resolved(0, 0, 0, 0, key, spelling, labels.get(key) or TITLE_LABEL)
        for key, spelling in title_names(title).items()
        if len(key) <= MAX_KEY_CHARS
    ]


def _per_chunk(chunks: Sequence[Chunk], mentions: Sequence[Resolved]) -> tuple[dict[str, int], ...]:
    """Count mentions by chunk. One in an overlap counts in every chunk that fully contains it."""
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


def _per_passage(
    chunks: Sequence[Chunk], mentions: Sequence[Resolved]
) -> tuple[dict[str, int], ...]:
    """Count mentions by passage, over the passages of all chunks in order.

    A mention counts in every passage that fully contains it.
    """
    out: list[Counter[str]] = []
    homes: list[list[tuple[int, int, Counter[str]]]] = []
    for chunk in chunks:
        homes.append([(p.start, p.end, Counter()) for p in chunk.passages])
        out += [counts for _, _, counts in homes[-1]]
    for m in mentions:
        start, end = chunks[m.part].owned + m.start, chunks[m.part].owned + m.end
        for part in range(m.part, len(chunks)):
            if chunks[part].start > start:
                break
            for first, last, counts in homes[part]:
                if first <= start and end <= last:
                    counts[m.key] += 1
    return tuple(dict(c) for c in out)
