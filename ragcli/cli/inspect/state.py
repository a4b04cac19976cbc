"""The store as a whole: its size, its digest, its changes, and its integrity."""

from __future__ import annotations

from typing import Annotated

import typer

from ragcli.cli import inputs, options, render

# Names that a diff lists; --json lists all.
NAMES = 30


def stats(store: options.Store = None, json: options.Json = False) -> None:
    """Show counts, sizes, models, folders, and the seconds per stage of the last run."""
    from ragcli.enriching.describing import described
    from ragcli.store import listings

    where = inputs.existing_store(store)
    with inputs.open_snapshot(where) as snapshot:
        found = listings.counts(snapshot) | described(snapshot)
        found["languages"] = listings.languages(snapshot)
    if json:
        render.print_json(found)
        return
    lists = {k: ", ".join(v) for k, v in found.items() if isinstance(v, list)}
    plain = [(k, v) for k, v in (found | lists).items() if not isinstance(v, dict)]
    render.table("", ("", str(where)), [(k, render.as_text(v)) for k, v in plain])
    for name in ("languages", "models", "stages", "nothing_found", "dropped"):
        if found[name]:
            rows = [(k, render.as_text(v)) for k, v in found[name].items()]
            render.table(f"\n{name}", ("", ""), rows)


def digest(store: options.Store = None, json: options.Json = False) -> None:
    """Print one hash of the store's content: equal content has equal hashes."""
    from ragcli.store.digest import digest as of

    with inputs.open_snapshot(store) as snapshot:
        found = of(snapshot)
    if json:
        render.print_json(found)
    else:
        render.line(found["all"])


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
    """Show the changes between two generations: documents, and names gained and lost."""
    from ragcli.store import history

    with inputs.open_snapshot(store) as snapshot:
        first, last = history.interval(snapshot, old, new)
        changes = list(history.diff(snapshot, first, last))
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


def check(store: options.Store = None, json: options.Json = False) -> int:
    """Verify the store, delete leftovers, and rebuild damaged derived files.

    Pages, references and packed texts are verified. Short texts and counts have no checksum.
    """
    from ragcli.maintaining.check import check as run

    findings = dict(run(inputs.existing_store(store), inputs.settings()))
    if json:
        render.print_json(findings)
    else:
        for what, finding in findings.items():
            render.line(f"{what}: {finding or 'sound'}")
    return 0
