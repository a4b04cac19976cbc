"""The graph: entities, relations, paths between entities, and the graph as a file."""

from __future__ import annotations

from dataclasses import asdict
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ragcli.api import as_path
from ragcli.cli import completion, inputs, options, render
from ragcli.errors import InputError
from ragcli.text.words import counted

if TYPE_CHECKING:
    from ragcli.store.snapshot import Snapshot

# Names that a misspelt one is compared with, the most frequent ones.
_COMPARED = 2000
_NAME: dict[str, Any] = {"callback": inputs.as_text, "autocompletion": completion.entities}
Limit = Annotated[int, typer.Option(min=1, help="Maximum number of rows.")]


def entities(limit: Limit = 50, store: options.Store = None, json: options.Json = False) -> None:
    """List the entities with the most mentions, names before nouns."""
    from ragcli.store import listings

    with inputs.open_snapshot(store) as snapshot:
        columns = ("name", "label", "mentions", "documents", "relations")
        render.rows(map(asdict, listings.entities(snapshot, limit)), columns, json)


def entity(
    name: Annotated[
        str,
        typer.Argument(
            help="A name in any of its spellings.",
            callback=inputs.as_text,
            autocompletion=completion.entities,
        ),
    ],
    limit: Limit = 10,
    store: options.Store = None,
    json: options.Json = False,
) -> int:
    """Show one entity: spellings, type, profile, related entities, and chunks that mention it."""
    from ragcli.retrieve.question import find_entities
    from ragcli.store import listings

    with inputs.open_snapshot(store) as snapshot:
        rows = [row for match in find_entities(snapshot.entities, name) for row in match.rows]
        found = [asdict(listings.entity(snapshot, row, limit)) for row in dict.fromkeys(rows)]
        near = "" if found else _near(snapshot, name)
    if not found:
        hint = f"did you mean '{near}'?" if near else "list them: ragcli inspect entities"
        render.note(f"no entity is called '{name}'; {hint}")
        return inputs.NEGATIVE
    if json:
        render.print_lines(found)
        return 0
    for e in found:
        _show_entity(e)
    return 0


def _near(snapshot: Snapshot, name: str) -> str:
    """The name in the store that is most similar, and begins with the same letter; "" if none."""
    known = snapshot.entities.beginning_with(name[:1], _COMPARED)
    folded = {text.casefold(): text for text in reversed(known)}
    found = get_close_matches(name.casefold(), folded, 1, 0.7)
    return folded[found[0]] if found else ""


def _show_entity(e: dict[str, Any]) -> None:
    label = e["label"] or "noun"
    render.line(
        f"{e['name']} ({label}): {counted(e['mentions'], 'mention')}"
        f" in {counted(e['documents'], 'document')}"
    )
    if e["profile"]:
        what = f"{e['type']}; {e['profile_by']}" if e["type"] else e["profile_by"]
        render.line(f"{e['profile']} ({what})")
    sections: list[tuple[str, tuple[str, ...]]] = [
        ("spellings", ("text", "count")),
        ("related", ("name", "sentences")),
        ("chunks", ("chunk", "mentions")),
    ]
    if e["statements"]:
        sections.append(("statements", ("source", "target", "text", "chunk")))
    for title, columns in sections:
        render.table(f"\n{title}", columns, ([row[c] for c in columns] for row in e[title]))


def relations(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]",
            help="Only of this entity.",
            callback=inputs.as_text,
            autocompletion=completion.entities,
        ),
    ] = None,
    limit: Limit = 50,
    store: options.Store = None,
    json: options.Json = False,
) -> int:
    """List the strongest relations: described relations first, then co-occurrence in sentences."""
    from ragcli.retrieve.question import find_entities
    from ragcli.store import listings

    with inputs.open_snapshot(store) as snapshot:
        rows: list[int | None] = [None]
        if name is not None:
            matches = find_entities(snapshot.entities, name)
            rows = list(dict.fromkeys(row for match in matches for row in match.rows))
        found = [asdict(r) for row in rows for r in listings.relations(snapshot, row, limit)]
    if not found:
        render.note(f"no relations of '{name}'" if name else "no relations")
        return inputs.NEGATIVE
    render.rows(found, ("a", "b", "sentences", "strength", "text"), json)
    return 0


def path(
    a: Annotated[str, typer.Argument(help="A name.", **_NAME)],
    b: Annotated[str, typer.Argument(help="Another name.", **_NAME)],
    store: options.Store = None,
    json: options.Json = False,
) -> int:
    """Show how two entities are connected, with the sentences; exit code 1 if they are not."""
    from ragcli.asking.opening import open_index
    from ragcli.retrieve.connect import connect
    from ragcli.retrieve.question import entity_called

    with open_index(inputs.existing_store(store), inputs.settings()) as (index, _):
        ends = [entity_called(index, name) for name in (a, b)]
        links = connect(index, *ends)
    if json:
        render.print_lines(map(asdict, links or []))
    elif links is None:
        render.note(f"nothing connects {a} and {b}")
    else:
        for link in links:
            where = f"{link.doc}:{link.line}" if link.doc else _nowhere(link.sentence)
            line = f"{link.source} - {link.target} ({link.sentences} sentences; {where})"
            render.line(line)
            render.line(f"    {' '.join(link.sentence.split())}")
    return inputs.NEGATIVE if links is None else 0


def _nowhere(statement: str) -> str:
    """The origin of a link that comes from no sentence."""
    return "from a language model" if statement else "in a heading or a list"


def hierarchy(store: options.Store = None, json: options.Json = False) -> int:
    """Show the entity clusters by level, and their drift; exit code 1 if there are none."""

    with inputs.open_snapshot(store) as snapshot:
        found = snapshot.hierarchy.listing()
    if json:
        render.print_json(found)
    elif found:
        render.hierarchy(found["nodes"])
        levels = ", ".join(f"{x['nodes']:,} at level {x['level']}" for x in found["levels"])
        render.note(
            f"{counted(found['entities'], 'entity')} in {levels or 'no cluster'}; since clustering"
            f" {found['late']:,} were added and {found['left']:,} removed"
            f" (drift {found['drift']:.1%}, distance to the centre {found['distance']:.3f},"
            f" now {found['distance_now']:.3f})"
        )
    else:
        render.note("the store has no hierarchy; create one with: ragcli update --hierarchy")
    return 0 if found else inputs.NEGATIVE


def graph(
    html: Annotated[
        Path | None,
        typer.Option(parser=as_path, metavar="FILE", help="Write an interactive HTML page."),
    ] = None,
    graphml: Annotated[
        Path | None,
        typer.Option(
            parser=as_path, metavar="FILE", help="Write GraphML for other graph programs."
        ),
    ] = None,
    store: options.Store = None,
    force: options.Force = False,
) -> None:
    """Write the graph as an HTML page that needs no network, or as GraphML."""
    from ragcli.explore import gather, is_graphml, to_graphml, to_html
    from ragcli.overwriting import is_page, refuse_to_lose

    if html is None and graphml is None:
        raise InputError("nothing to write", "name a file: --html graph.html, or --graphml FILE")
    if html is not None and not force:
        refuse_to_lose(html, is_page, "a page")
    if graphml is not None and not force:
        refuse_to_lose(graphml, is_graphml, "a graph")
    with inputs.open_snapshot(store) as snapshot:
        picture = gather(snapshot)
    for file, write in ((html, to_html), (graphml, to_graphml)):
        if file is not None:
            file.write_text(write(picture), encoding="utf-8")
            render.note(f"wrote {len(picture.nodes):,} nodes to {file}")
