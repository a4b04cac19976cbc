"""ragcli inspect: what a store holds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from ragcli.cli import options, render
from ragcli.errors import InputError

app = typer.Typer(help="What a store holds.", no_args_is_help=True)

NEGATIVE = 1
# Names that a diff lists for a person; --json has all.
NAMES = 30
Limit = Annotated[int, typer.Option(min=1, help="Rows at most.")]


def _list(rows: Iterable[dict[str, Any]], columns: tuple[str, ...], json: bool) -> None:
    """A list as JSON Lines or as a table of some of its columns."""
    if json:
        render.print_lines(rows)
    else:
        render.table("", columns, ([row[c] for c in columns] for row in rows))


@app.command()
def stats(store: options.Store = None, json: options.Json = False) -> None:
    """Counts, sizes, models, and the seconds that each stage of the last run took."""
    from ragcli.pipeline.describing import described
    from ragcli.pipeline.opening import reading
    from ragcli.store import stats as of

    where = options.existing_store(store)
    with reading(where) as db:
        found = of.stats(db, where) | described(db)
    if json:
        render.print_json(found)
        return
    plain = [(k, v) for k, v in found.items() if not isinstance(v, dict)]
    render.table("", ("", str(where)), [(k, f"{v:,}") for k, v in plain])
    for name in ("models", "stages", "nothing_found", "dropped"):
        if found[name]:
            render.table(f"\n{name}", ("", ""), [(k, str(v)) for k, v in found[name].items()])


@app.command()
def docs(store: options.Store = None, json: options.Json = False) -> None:
    """Every document with its status; failed ones with the reason."""
    from ragcli.pipeline.opening import reading
    from ragcli.store import stats as of

    with reading(options.existing_store(store)) as db:
        columns = ("doc", "status", "chunks", "size", "updated_at", "error")
        _list(of.documents(db), columns, json)


@app.command()
def doc(
    id_: Annotated[
        str, typer.Argument(metavar="ID", help="The document's id.", callback=options.as_text)
    ],
    store: options.Store = None,
    json: options.Json = False,
) -> None:
    """One document: its status, its summary and its chunks."""
    from ragcli.pipeline.opening import reading
    from ragcli.store import stats as of

    with reading(options.existing_store(store)) as db:
        found = of.document(db, id_)
        chunks_ = list(of.chunks(db, id_))
    if json:
        render.print_json({**found, "chunks": chunks_})
        return
    render.table("", ("", ""), [(k, str(v)) for k, v in found.items()])
    columns = ("chunk", "line_start", "line_end", "tokens", "heading")
    render.table("\nchunks", columns, ([c[k] for k in columns] for c in chunks_))


@app.command()
def chunks(
    doc: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Of this document only.", callback=options.as_text),
    ] = None,
    store: options.Store = None,
    json: options.Json = False,
) -> None:
    """Every chunk with its place; --json has the text too."""
    from ragcli.pipeline.opening import reading
    from ragcli.store import stats as of

    with reading(options.existing_store(store)) as db:
        if doc is not None:
            of.document(db, doc)
        columns = ("chunk", "line_start", "line_end", "tokens", "heading")
        _list(of.chunks(db, doc), columns, json)


@app.command()
def entities(limit: Limit = 50, store: options.Store = None, json: options.Json = False) -> None:
    """The entities mentioned most, names before nouns."""
    from ragcli.pipeline.opening import reading
    from ragcli.store import stats as of

    with reading(options.existing_store(store)) as db:
        columns = ("name", "label", "mentions", "documents", "relations")
        _list(of.entities(db, limit), columns, json)


@app.command()
def entity(
    name: Annotated[
        str,
        typer.Argument(help="A name, or one of its other spellings.", callback=options.as_text),
    ],
    limit: Limit = 10,
    store: options.Store = None,
    json: options.Json = False,
) -> int:
    """One entity: spellings, type and profile if described, what it stands beside, and where."""
    from ragcli.pipeline.opening import reading
    from ragcli.retrieve.question import find_entities
    from ragcli.store import stats as of

    with reading(options.existing_store(store)) as db:
        rows = [row for match in find_entities(db, name) for row in match.rows]
        found = [of.entity(db, row, limit) for row in dict.fromkeys(rows)]
    if not found:
        render.note(f"no entity is called '{name}'; list them: ragcli inspect entities")
        return NEGATIVE
    if json:
        render.print_lines(found)
        return 0
    for e in found:
        _show_entity(e)
    return 0


def _show_entity(e: dict[str, Any]) -> None:
    label = e["label"] or "noun"
    render.out().print(
        f"{e['name']} ({label}): {e['mentions']} mentions in {e['documents']} documents",
        markup=False,
    )
    if e["profile"]:
        what = f"{e['type']}; {e['profile_by']}" if e["type"] else e["profile_by"]
        render.out().print(f"{e['profile']} ({what})", markup=False)
    sections: list[tuple[str, tuple[str, ...]]] = [
        ("spellings", ("text", "count")),
        ("related", ("name", "sentences")),
        ("chunks", ("chunk", "mentions")),
    ]
    if e["statements"]:
        sections.append(("statements", ("source", "target", "text", "chunk")))
    for title, columns in sections:
        render.table(f"\n{title}", columns, ([row[c] for c in columns] for row in e[title]))


@app.command()
def relations(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="Of this entity only.", callback=options.as_text),
    ] = None,
    limit: Limit = 50,
    store: options.Store = None,
    json: options.Json = False,
) -> int:
    """The strongest relations: described ones first, then those of names in one sentence."""
    from ragcli.pipeline.opening import reading
    from ragcli.retrieve.question import find_entities
    from ragcli.store import stats as of

    with reading(options.existing_store(store)) as db:
        rows: list[int | None] = [None]
        if name is not None:
            rows = list(dict.fromkeys(r for m in find_entities(db, name) for r in m.rows))
        found = [relation for row in rows for relation in of.relations(db, row, limit)]
    if not found:
        render.note(f"no relations of '{name}'" if name else "no relations")
        return NEGATIVE
    _list(found, ("a", "b", "sentences", "strength", "text"), json)
    return 0


@app.command()
def path(
    a: Annotated[str, typer.Argument(help="A name.", callback=options.as_text)],
    b: Annotated[str, typer.Argument(help="Another name.", callback=options.as_text)],
    store: options.Store = None,
    json: options.Json = False,
) -> int:
    """How two entities connect, with the sentences that say so; exit code 1 when they do not."""
    from ragcli.pipeline.opening import open_space
    from ragcli.retrieve.connect import connect

    with open_space(options.existing_store(store), options.settings()) as space:
        ends = [space.named(name) for name in (a, b)]
        links = connect(space, *ends)
    if json:
        render.print_lines(map(asdict, links or []))
    elif links is None:
        render.note(f"nothing connects {a} and {b}")
    else:
        for link in links:
            where = f"{link.doc}:{link.line}" if link.doc else _nowhere(link.sentence)
            line = f"{link.source} - {link.target} ({link.sentences} sentences; {where})"
            render.out().print(line, markup=False)
            render.out().print(f"    {' '.join(link.sentence.split())}", markup=False)
    return NEGATIVE if links is None else 0


def _nowhere(statement: str) -> str:
    """Where a link comes from that no sentence makes."""
    return "as a language model says" if statement else "in a heading or a list"


@app.command()
def tree(store: options.Store = None, json: options.Json = False) -> None:
    """The summary tree: folders, documents, and what sums them up."""
    from ragcli.pipeline.opening import reading
    from ragcli.store import stats as of

    with reading(options.existing_store(store)) as db:
        nodes = list(of.tree(db))
    if json:
        render.print_lines(nodes)
    else:
        render.tree(nodes)


@app.command()
def hierarchy(store: options.Store = None, json: options.Json = False) -> int:
    """Entities clustered level by level, and how far they drifted; exit code 1 without any."""
    from ragcli.pipeline.opening import reading
    from ragcli.store import hierarchy as of

    with reading(options.existing_store(store)) as db:
        found = of.listing(db)
    if json:
        render.print_json(found)
    elif found:
        render.hierarchy(found["nodes"])
        levels = ", ".join(f"{x['nodes']:,} at level {x['level']}" for x in found["levels"])
        render.note(
            f"{found['entities']:,} entities in {levels or 'no cluster'}; since they were clustered"
            f" {found['late']:,} came and {found['left']:,} left (drift {found['drift']:.1%},"
            f" distance to the centre {found['distance']:.3f}, now {found['distance_now']:.3f})"
        )
    else:
        render.note("the store has no hierarchy; make one with: ragcli update --hierarchy")
    return 0 if found else NEGATIVE


@app.command()
def graph(
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a page to explore it in a browser.")
    ] = None,
    graphml: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write it for other graph programs.")
    ] = None,
    store: options.Store = None,
) -> None:
    """The graph as a page that needs no network, or as GraphML."""
    from ragcli.explore import gather, to_graphml, to_html
    from ragcli.pipeline.opening import reading

    if html is None and graphml is None:
        raise InputError("nothing to write", "name a file: --html graph.html, or --graphml FILE")
    with reading(options.existing_store(store)) as db:
        picture = gather(db)
    for file, write in ((html, to_html), (graphml, to_graphml)):
        if file is not None:
            file.write_text(write(picture), encoding="utf-8")
            render.note(f"wrote {len(picture.nodes):,} nodes to {file}")


@app.command()
def digest(store: options.Store = None, json: options.Json = False) -> None:
    """One hash of what the store says: equal for equal content, however it came about."""
    from ragcli.pipeline.opening import reading
    from ragcli.store.connection import generation
    from ragcli.store.digest import digest as of

    with reading(options.existing_store(store)) as db:
        found = of(db, generation(db))
    if json:
        render.print_json(found)
    else:
        render.out().print(found["all"])


@app.command()
def diff(
    old: Annotated[
        int | None, typer.Argument(metavar="A", help="A generation (default: the one before B).")
    ] = None,
    new: Annotated[
        int | None, typer.Argument(metavar="B", help="Another (default: the current one).")
    ] = None,
    store: options.Store = None,
    json: options.Json = False,
) -> None:
    """What is other in generation B than in A: documents, and names won and lost."""
    from ragcli.pipeline.opening import reading
    from ragcli.store import history

    with reading(options.existing_store(store)) as db:
        first, last = history.interval(db, old, new)
        changes = list(history.diff(db, first, last))
    if json:
        render.print_lines(changes)
        return
    documents = [c for c in changes if "doc" in c]
    columns = ("change", "doc", "former", "chunks", "former_chunks")
    render.table(
        f"generation {first} to {last}", columns, ([d[k] for k in columns] for d in documents)
    )
    for kind in ("gained", "lost"):
        names = [c["entity"] for c in changes if c["change"] == kind]
        if names:
            more = f" and {len(names) - NAMES:,} more" if len(names) > NAMES else ""
            render.line(f"names {kind}: {', '.join(names[:NAMES])}{more}")


@app.command()
def check(store: options.Store = None, json: options.Json = False) -> int:
    """Verify the store, sweep leftovers, and make damaged derived files again."""
    from ragcli.pipeline.check import check as run

    findings = dict(run(options.existing_store(store), options.settings()))
    if json:
        render.print_json(findings)
    else:
        for what, finding in findings.items():
            render.out().print(f"{what}: {finding or 'sound'}", markup=False)
    return 0
