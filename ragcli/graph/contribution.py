"""What one document adds to the graph: resolved mentions, counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ragcli.graph.cooccur import cooccurrences
from ragcli.graph.model_mentions import ChunkMentions, Said, is_alone, place
from ragcli.graph.resolve import MAX_KEY_CHARS, Resolved, resolve, run_mentions
from ragcli.text.names import title_names
from ragcli.types import Chunk, Contribution, Extraction, Findings

# The label of a title that the text itself does not name.
TITLE_LABEL = "MISC"


def contribution(
    chunks: Sequence[Chunk],
    extractions: Sequence[Extraction],
    title: str = "",
    findings: Sequence[Findings | None] = (),
) -> Contribution:
    """Counts for one document; ``extractions[i]`` is of ``chunks[i].text`` from ``owned`` on.

    So are ``findings[i]`` (None, or no findings at all: no language model was asked). In a chunk
    read by a model alone (``is_alone``) nothing else names anything.
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
    """All that is named in the chunks' own texts, where it stands; no names of the title."""
    _, mentions, runs, _ = _found(chunks, extractions, findings or [None] * len(chunks))
    return mentions + runs


def _found(
    chunks: Sequence[Chunk],
    extractions: Sequence[Extraction],
    findings: Sequence[Findings | None],
) -> tuple[list[ChunkMentions], list[Resolved], list[Resolved], dict[str, str]]:
    """Mentions as extractor and model give them, resolved; capitalised runs; and the aliases."""
    texts = [c.text[c.owned - c.start :] for c in chunks]
    placed = [place(*found) for found in zip(texts, extractions, findings, strict=True)]
    mentions, aliases = resolve([p.extraction for p in placed])
    read = ["" if is_alone(f) else text for text, f in zip(texts, findings, strict=True)]
    return placed, mentions, run_mentions(read, mentions, aliases), aliases


def _titles(title: str, labels: dict[str, str]) -> list[Resolved]:
    """The names that a title gives, as if they stood at the head of the first sentence."""
    return [
        Resolved(0, 0, 0, 0, key, spelling, labels.get(key) or TITLE_LABEL)
        for key, spelling in title_names(title).items()
        if len(key) <= MAX_KEY_CHARS
    ]


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


def _per_passage(
    chunks: Sequence[Chunk], mentions: Sequence[Resolved]
) -> tuple[dict[str, int], ...]:
    """Mentions by passage, all chunks' passages in a row; each counts where it stands whole."""
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
