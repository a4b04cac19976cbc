"""From an answer to the page that shows how it came about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ragcli.asking.ask import AskResult
from ragcli.explore import MarkedPassage, Trace
from ragcli.types import Answer, Citation, Hit, Located, ShownPassage, overlap
from ragcli.types.places import place_of


def trace_of(asked: AskResult) -> Trace:
    """The answer, its passages, where retrieval began in the graph and what it came through."""
    found, reply = asked.retrieval, asked.answer.reply
    short = f"{reply.short.text} ({reply.short.confidence:.0%})" if reply.short else ""
    return Trace(
        asked.answer.question,
        "" if reply.passages else reply.text or reply.note or "no answer",
        found.seeds,
        found.path,
        short,
        tuple(_passages(asked.answer)),
    )


def _passages(answer: Answer) -> Iterator[MarkedPassage]:
    """The passages with the quotes in them, those of the reply and those that are cited first.

    A quote that ends outside the passage is marked as far as it goes; one outside all passages
    (from a wider context) is a passage of its own.
    """
    cited, shown = answer.reply.citations, answer.reply.passages
    for passage in shown:
        marked = _marked(passage, [c for c in cited if overlap(c, passage)])
        yield MarkedPassage(_place(passage), tuple(marked), passage.heading)
    found: tuple[Located, ...] = (*shown, *answer.hits)
    held = {c.n for one in found for c in cited if overlap(c, one)}
    made = [
        MarkedPassage(_place(c), ((c.quote, c.n),), c.heading) for c in cited if c.n not in held
    ]
    for hit in answer.hits:
        headings = [text for at, text in hit.headings if at <= hit.start]
        marked = _marked(hit, [c for c in cited if overlap(c, hit)])
        made.append(MarkedPassage(_place(hit), tuple(marked), headings[-1] if headings else ""))
    yield from sorted(made, key=lambda passage: min(n or len(cited) + 1 for _, n in passage.text))


def _marked(hit: Hit | ShownPassage, cited: Sequence[Citation]) -> Iterator[tuple[str, int]]:
    """The text of a passage in parts, each with the number of its citation or 0."""
    at = hit.start
    for citation in sorted(cited, key=lambda c: c.start):
        start, end = max(citation.start, at), min(citation.end, hit.end)
        if end <= start:  # inside the quote before
            continue
        if start > at:
            yield hit.text[at - hit.start : start - hit.start], 0
        yield hit.text[start - hit.start : end - hit.start], citation.n
        at = end
    if at < hit.end:
        yield hit.text[at - hit.start :], 0


def _place(found: Located) -> str:
    """Where it is, by the id of its document: the page may be read on another machine."""
    named = place_of(found.doc, found.page, found.line_start, found.line_end)
    return f"{found.doc}, {named}" if named else f"{found.doc}:{found.line_start}"
