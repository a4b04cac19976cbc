"""Answers and passages as text: for a terminal, for a pipe, as Markdown, for Org mode."""

from __future__ import annotations

from collections.abc import Iterator

from ragcli.cli import render
from ragcli.cli.places import FileOf, Place
from ragcli.cli.render import Styled
from ragcli.text.markup import restyled
from ragcli.text.readable import readable
from ragcli.text.words import one_line
from ragcli.types import Answer, Citation, Hit, Reply, ShortAnswer


def show_answer(result: Answer, file_of: FileOf, explain: bool, shown: str = "") -> None:
    """Print an answer and its sources; ``explain``: the passages and why they were found.

    ``shown``: what of its text stands on the terminal already, as it was written.
    """
    reply = result.reply
    is_shown = bool(shown) and shown == reply.text
    if shown:
        render.line("")
    if reply.short:
        render.paragraph(_headline(reply.short))
        render.line("")
    if reply.text and not is_shown:
        render.paragraph(_body(reply))
    if reply.note:
        render.note(reply.note)
    if reply.citations:
        render.line("")
    for citation in reply.citations:
        show_citation(citation, reply, file_of)
    if explain or reply.by == "none":
        show_hits(result.hits, file_of, explain)
    if explain:
        _show_graph(result)


def show_citation(citation: Citation, reply: Reply | None, file_of: FileOf) -> None:
    """Print where a citation stands and its quote, unless the ``reply`` says the same."""
    place = Place.of(citation)
    link = f"link {place.link(file_of(citation))}"
    above = f" ({one_line(readable(citation.heading))})" if citation.heading else ""
    store = _of_store(citation)
    render.paragraph(_text(f"[{citation.n}] ", (str(place), link), (f"{store}{above}", "dim")))
    if reply is None or not _said(citation, reply):
        render.paragraph(_marked(citation.quote, reply.short if reply else None), indent=4)


def show_hits(hits: tuple[Hit, ...], file_of: FileOf, explain: bool) -> None:
    """Print passages with their text, numbered; ``explain``: why each was found."""
    for hit in hits:
        place = Place.of(hit)
        render.line("")
        link = f"link {place.link(file_of(hit))}"
        render.paragraph(_text(f"{hit.rank}. ", (str(place), link), (_of_store(hit), "dim")))
        for via in hit.via if explain else ():
            render.paragraph(_text(("found by: ", "dim"), (via.note, "dim")), indent=3)
        render.paragraph(_text(one_line(readable(hit.text))), indent=3)


def _of_store(found: Citation | Hit) -> str:
    """Which of several stores it is from; "" if only one was asked."""
    return f" in {found.store}" if found.store else ""


def _show_graph(result: Answer) -> None:
    if result.facts:
        render.line("\nfrom the graph:")
        for fact in result.facts:
            render.paragraph(_text(fact), indent=3)
    if result.entities:
        render.line("")
        render.paragraph(_text(f"named in the question: {', '.join(result.entities)}"))


def _text(*parts: str | tuple[str, str]) -> Styled:
    """A text of parts with styles; a link without an address is no link."""
    styled = [(part, "") if isinstance(part, str) else part for part in parts]
    return [(text, "" if style == "link " else style) for text, style in styled]


def _headline(short: ShortAnswer) -> Styled:
    """The short answer in bold, its citation and how sure it is."""
    words = one_line(readable(short.text)) or one_line(short.text)
    return _text(
        (restyled(words), "bold"), f" [{short.n}]", (f" (confidence {short.confidence:.0%})", "dim")
    )


def _body(reply: Reply) -> Styled:
    """The answer without marks of Markdown; the short answer in it in bold."""
    return _marked(reply.text, reply.short)


def _marked(text: str, short: ShortAnswer | None) -> Styled:
    """A text for people, the words of the short answer in it in bold."""
    shown = one_line(readable(text))
    words = restyled(one_line(readable(short.text))) if short else ""
    at = shown.find(words) if words else -1
    if at < 0:
        return _text(shown)
    end = at + len(words)
    return _text(shown[:at], (shown[at:end], "bold"), shown[end:])


def _said(citation: Citation, reply: Reply) -> bool:
    """Whether the text of an answer contains the quote, apart from white space."""
    return restyled(one_line(citation.quote)) in one_line(reply.text)


def as_markdown(result: Answer, file_of: FileOf) -> Iterator[str]:
    """The lines of an answer in Markdown: numbered sources with links and quotes."""
    reply = result.reply
    yield f"## {result.question}\n"
    if reply.short:
        yield f"**{one_line(reply.short.text)}** [{reply.short.n}]\n"
    yield f"{reply.text or reply.note}\n"
    for c in reply.citations:
        yield f"{c.n}. {Place.of(c).markdown_link(file_of(c))}{_of_store(c)}\n"
        yield from (f"   > {line}".rstrip() for line in c.quote.splitlines())
        yield ""
    for hit in result.hits if reply.by == "none" else ():
        yield f"{hit.rank}. {Place.of(hit).markdown_link(file_of(hit))}{_of_store(hit)}\n"
        yield from (f"   > {line}".rstrip() for line in hit.text.splitlines())
        yield ""


def as_org(result: Answer, file_of: FileOf) -> Iterator[str]:
    """The lines of an answer for Org mode: links that open at the line, quotes in blocks."""
    reply = result.reply
    yield f"* {result.question}"
    if reply.short:
        yield f"*{one_line(reply.short.text)}* [{reply.short.n}]\n"
    yield f"{reply.text or reply.note}\n"
    for c in reply.citations:
        yield f"- [{c.n}] {Place.of(c).org_link(file_of(c))}{_of_store(c)}"
        yield from _org_quote(c.quote)
    for hit in result.hits if reply.by == "none" else ():
        yield f"- {Place.of(hit).org_link(file_of(hit))}{_of_store(hit)}"
        yield from _org_quote(hit.text)


def _org_quote(text: str) -> Iterator[str]:
    yield "  #+begin_quote"
    # A line that begins with an asterisk or a keyword would end the block.
    yield from (f"  {line}".rstrip() for line in text.splitlines())
    yield "  #+end_quote"
