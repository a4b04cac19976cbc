"""Answers and passages as text: for a terminal, for a pipe, as Markdown, for Org mode."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import shorten

from ragcli.asking.layout import Piece, Row, laid_out, quote, source
from ragcli.cli import render
from ragcli.cli.places import FileOf, Place
from ragcli.cli.render import Styled
from ragcli.text.readable import readable
from ragcli.text.words import counted, one_line
from ragcli.types import Answer, Citation, Hit, Reply

_DEEPER = " " * 3
"""Before the lines below a numbered one."""


def show_answer(result: Answer, file_of: FileOf, explain: bool, shown: str = "") -> None:
    """Print an answer and its sources; ``explain``: the passages and why they were found.

    ``shown``: the part of its text that was already written to the terminal.
    """
    reply = result.reply
    if shown:
        render.line("")
    for row in laid_out(reply):
        if row.kind != "text" or shown != reply.text:
            _print_row(row, file_of)
    if reply.abstained:
        render.note(refusal(result))
    if reply.note and (explain or not reply.abstained):
        render.note(reply.note)
    if explain or reply.by == "none":
        show_hits(result.hits, file_of, explain)
    if explain:
        _show_graph(result)


def show_reply(reply: Reply, file_of: FileOf) -> None:
    """Print a reply that answers no question: a map."""
    for row in laid_out(reply):
        _print_row(row, file_of)


def refusal(result: Answer) -> str:
    """Say for people that there is no answer, what may help, and what is nearest."""
    from ragcli.answer.notes import TWO_LINES  # ``search`` does not wait for it

    reply, near = result.reply, result.reply.nearest
    said = [f"No answer found in {counted(result.documents, 'document')}."]
    if reply.hint:
        said.append(f"{reply.hint[0].upper()}{reply.hint[1:]}.")
    if near is None:
        return " ".join(said)
    quote = shorten(one_line(readable(near.quote)), TWO_LINES, placeholder=" ...")
    return f"{' '.join([*said, 'Nearest:'])}\n  {Place.of(near).first}{_of_store(near)}: {quote}"


def show_citation(citation: Citation, file_of: FileOf) -> None:
    """Print the place of a citation and its quote."""
    for row in (source(citation, citation.scan), *quote(citation.quote)):
        _print_row(row, file_of)


def _print_row(row: Row, file_of: FileOf) -> None:
    """Print a row: what answers in bold on a terminal, else its lines with a mark before them."""
    styled = [_styled(piece, file_of) for piece in row.pieces]
    if row.kind not in ("line", "code"):
        render.paragraph(styled)
    elif any(piece.look == "answer" for piece in row.pieces):
        render.marked(styled)
    else:
        render.paragraph(styled, render.MARGIN)


def _styled(piece: Piece, file_of: FileOf) -> tuple[str, str]:
    if piece.found is not None:
        place = Place.of(piece.found)
        link = place.link(file_of(piece.found))
        return str(place), f"link {link}" if link else ""
    return piece.text, "bold" if piece.look == "answer" else piece.look


def show_hits(hits: tuple[Hit, ...], file_of: FileOf, explain: bool) -> None:
    """Print passages with their text, numbered; ``explain``: why each was found."""
    for hit in hits:
        place = Place.of(hit)
        render.line("")
        link = f"link {place.link(file_of(hit))}"
        more = f"{_of_store(hit)}{f', a reply to {hit.reply_to}' if hit.reply_to else ''}"
        render.paragraph(_text(f"{hit.rank}. ", (str(place), link), (more, "dim")))
        for via in hit.via if explain else ():
            render.paragraph(_text(("found by: ", "dim"), (via.note, "dim")), _DEEPER)
        render.paragraph(_text(one_line(readable(hit.text))), _DEEPER)


def _of_store(found: Citation | Hit) -> str:
    """Which of several stores it is from; "" if only one was asked."""
    return f" in {found.store}" if found.store else ""


def _show_graph(result: Answer) -> None:
    if result.facts:
        render.line("\nfrom the graph:")
        for fact in result.facts:
            render.paragraph(_text(fact), _DEEPER)
    if result.entities:
        render.line("")
        render.paragraph(_text(f"named in the question: {', '.join(result.entities)}"))


def _text(*parts: str | tuple[str, str]) -> Styled:
    """A text of parts with styles; a link without an address is no link."""
    styled = [(part, "") if isinstance(part, str) else part for part in parts]
    return [(text, "" if style == "link " else style) for text, style in styled]


def _note(result: Answer) -> str:
    """What a file says below an answer, or in its place."""
    return refusal(result) if result.reply.abstained else result.reply.note


def as_markdown(result: Answer, file_of: FileOf) -> Iterator[str]:
    """The lines of an answer in Markdown: numbered sources with links, passages as quotes."""
    yield f"## {result.question}\n"
    for row in laid_out(result.reply):
        text = "".join(_markdown(piece, file_of) for piece in row.pieces)
        if row.kind == "code":
            yield f">     {text}".rstrip()
        elif row.kind == "line":
            yield f"> {text}  " if text else ">"
        else:
            yield f"{text}\n" if row.kind == "source" else text
    if note := _note(result):
        yield f"\n{note}\n"
    for hit in result.hits if result.reply.by == "none" else ():
        yield f"{hit.rank}. {Place.of(hit).markdown_link(file_of(hit))}{_of_store(hit)}\n"
        yield from (f"   > {line}".rstrip() for line in hit.text.splitlines())
        yield ""


def _markdown(piece: Piece, file_of: FileOf) -> str:
    if piece.found is not None:
        return Place.of(piece.found).markdown_link(file_of(piece.found))
    return _emphasised(piece, "**")


def _emphasised(piece: Piece, mark: str) -> str:
    """The words of a piece between marks if they answer; white space stays outside of the marks."""
    words = piece.text.strip()
    if piece.look != "answer" or not words:
        return piece.text
    return piece.text.replace(words, f"{mark}{words}{mark}")


def as_org(result: Answer, file_of: FileOf) -> Iterator[str]:
    """The lines of an answer for Org mode: links that open at the line, passages as quotes."""
    yield f"* {result.question}"
    inside = False
    for row in laid_out(result.reply):
        quoted = row.kind in ("line", "code")
        if quoted != inside:
            yield "  #+begin_quote" if quoted else "  #+end_quote"
        inside = quoted
        text = "".join(_org(piece, file_of) for piece in row.pieces)
        # A line that begins with an asterisk or a keyword would end the block.
        yield f"  {text}".rstrip() if quoted else f"- {text}" if row.kind == "source" else text
    if inside:
        yield "  #+end_quote"
    if note := _note(result):
        yield note
    for hit in result.hits if result.reply.by == "none" else ():
        yield f"- {Place.of(hit).org_link(file_of(hit))}{_of_store(hit)}"
        yield "  #+begin_quote"
        yield from (f"  {line}".rstrip() for line in hit.text.splitlines())
        yield "  #+end_quote"


def _org(piece: Piece, file_of: FileOf) -> str:
    if piece.found is not None:
        return Place.of(piece.found).org_link(file_of(piece.found))
    return _emphasised(piece, "*")
