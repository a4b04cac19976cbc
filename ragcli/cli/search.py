"""ragcli search: list the passages for a query, one on a line, as grep does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Any

import typer

import ragcli
from ragcli.cli import inputs, options, render
from ragcli.cli.answer_text import show_hits
from ragcli.cli.places import FileOf, Place
from ragcli.cli.render import LinkedLine
from ragcli.text.markup import FRONT_MATTER, is_heading
from ragcli.text.readable import readable
from ragcli.text.search_query import search_query
from ragcli.text.sentences import sentences
from ragcli.text.words import content_words, one_line, plain
from ragcli.types import Hit
from ragcli.types.document_ids import path_of
from ragcli.types.places import line_in


def search(
    query: Annotated[
        list[str] | None,
        typer.Argument(metavar="QUERY", help="The query, in quotes or not; - reads it from stdin."),
    ] = None,
    mode: options.Mode = None,
    top_k: Annotated[
        int | None, typer.Option("--top-k", "-k", min=1, help="Maximum number of passages.")
    ] = None,
    offset: Annotated[
        int, typer.Option("--offset", min=0, help="Passages to skip, for the next page.")
    ] = 0,
    in_: options.In = None,
    type_: options.Type = None,
    since: options.Since = None,
    where: options.Where = None,
    full: Annotated[
        bool, typer.Option("--full", help="Print each passage as a paragraph with its whole text.")
    ] = False,
    files: Annotated[
        bool, typer.Option("-l", "--files", help="Print only the names of the documents.")
    ] = False,
    count: Annotated[
        bool, typer.Option("-c", "--count", help="Print the number of passages of each document.")
    ] = False,
    context: Annotated[
        int,
        typer.Option(
            "--context", "-C", min=0, metavar="N", help="Print N lines around each sentence, too."
        ),
    ] = 0,
    fresh: options.Fresh = None,
    format: options.Format = None,
    embedder: options.Embedder = None,
    store: options.Stores = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """List the passages for a query, best first: path:line: text.

    The text is the sentence of the passage with most words of the query, on a terminal cut to the
    width of a line; --full prints whole passages. --json prints an object a line.

    Within QUERY, "some words" must be side by side, -word must not occur, title:word must be in
    the title, and path:pattern is as --in. Put such a query in single quotes.

    Exit code 1 if nothing is found: no word of the query occurs and no passage is near to it, or
    none fulfils its conditions.
    """
    how = inputs.output_format(format, json)
    settings = inputs.settings(mode=mode, top_k=top_k, fresh=fresh, embedder=embedder)
    text = inputs.words(query or [], 'for example: ragcli search "resin letter"')
    scope = inputs.scope(in_, type_, since, where)
    inputs.freshen(store, settings, quiet)
    with (
        render.ProgressBar(quiet or how == "json") as progress,
        inputs.open_stores(store, settings, progress) as opened,
    ):
        hits = opened.search(text, top_k=offset + settings.top_k, scope=scope)[offset:]
        if how == "json":
            render.print_lines(_as_json(opened, hit) for hit in hits)
        elif files or count:
            _by_document(hits, opened.file_of, count)
        elif full:
            show_hits(hits, opened.file_of, explain=False)
        else:
            for line, hit, at in _listed(hits, text, opened.file_of, how):
                line.print()
                for shown in _around(opened, hit, at, context) if context else ():
                    render.line(f"    {shown}".rstrip())
    return 0 if hits else inputs.NEGATIVE


def _as_json(opened: ragcli.Store | ragcli.Stores, hit: Hit) -> dict[str, Any]:
    """A passage, and what the user says about its folder."""
    from ragcli.asking.answer_json import hit_json

    note = opened.note_on(hit)
    return {**hit_json(hit), "about": note.about if note else ""}


def best_sentence(text: str, query: str, titles: frozenset[str] = frozenset()) -> tuple[int, int]:
    """The sentence with most words of a query, the first of several; (start, end) in the text.

    The words of the heading above a sentence count, too, but no heading is shown unless there is
    nothing else; ``titles`` (plain) are further ones. Rules of Markdown and front matter are no
    sentences; front matter with words of the query is.

    >>> text = "# Radars\\n\\nIt rained. The radar failed. The radar was old."
    >>> text[slice(*best_sentence(text, "radars that fail"))]
    'The radar failed.'
    """
    wanted = set(content_words(query))
    spans = [span for span in sentences(text) if any(map(str.isalnum, text[slice(*span)]))] or [
        (0, len(text))
    ]
    front = FRONT_MATTER.match(text)
    after = front.end() if front else 0
    fits: list[tuple[bool, int, bool, int]] = []
    above: set[str] = set()
    for span in spans:
        said = one_line(text[slice(*span)])
        words = wanted.intersection(content_words(said))
        heading = is_heading(said) or plain(said) in titles
        above = words if heading else above
        fits.append((not heading, len(words | above), span[0] >= after, len(words)))
    return spans[max(range(len(spans)), key=fits.__getitem__)]


def _by_document(hits: tuple[Hit, ...], file_of: FileOf, count: bool) -> None:
    """Print each document once, in the order of its best passage."""
    first: dict[tuple[str, str], Hit] = {}
    for hit in hits:
        first.setdefault((hit.store, hit.doc), hit)
    numbers = Counter((hit.store, hit.doc) for hit in hits)
    for document, hit in first.items():
        file = file_of(hit)
        link = file.absolute().as_uri() if file else ""
        path = hit.path or path_of(hit.doc)
        inner = hit.doc.removeprefix(path_of(hit.doc))
        LinkedLine(f"{path}{inner}", link, f":{numbers[document]}" if count else "").print()


def _listed(
    hits: tuple[Hit, ...], query: str, file_of: FileOf, format_: str
) -> Iterator[tuple[LinkedLine, Hit, int]]:
    """A line for each passage, its hit, and where its sentence begins; no place twice."""
    words, listed = search_query(query).text, set[str]()
    for hit in hits:
        start, end = best_sentence(hit.text, words, _titles(hit))
        lines = hit.line_start, hit.line_end
        line = line_in(hit.text, hit.start, lines, hit.lines, hit.start + start)
        place, file = replace(Place.of(hit), line_start=line, line_end=line), file_of(hit)
        said = one_line(readable(hit.text[start:end]))
        said = f"[{hit.store}] {said}" if hit.store else said
        if (known := f"{hit.store}\n{place}") in listed:
            continue
        listed.add(known)
        if format_ == "markdown":
            made = LinkedLine(f"- {place.markdown_link(file)}: {said}", "", "")
        elif format_ == "org":
            made = LinkedLine(f"- {place.org_link(file)}: {said}", "", "")
        else:
            made = LinkedLine(place.first, place.link(file), f": {said}", cut=True)
        yield made, hit, hit.start + start


def _titles(hit: Hit) -> frozenset[str]:
    """The title of a hit's document and the headings of its passage, plain."""
    headings = (path.rpartition(" > ")[2] for _, path in hit.headings)
    return frozenset(map(plain, (hit.title, *headings)))


def _around(opened: ragcli.Store | ragcli.Stores, hit: Hit, at: int, count: int) -> list[str]:
    """The line of a document that holds a character, with so many lines before and after it."""
    text = next(one for one in opened.stores if hit.store in ("", str(one.path))).text(hit.doc)
    before = text[:at].split("\n")[-count - 1 :]
    after = text[at:].split("\n")[: count + 1]
    return [*before[:-1], before[-1] + after[0], *after[1:]]
