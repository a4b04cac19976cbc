"""Options that several commands share. What their values mean is in ``inputs.py``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ragcli.api import as_path
from ragcli.cli import completion
from ragcli.cli.inputs import FORMATS
from ragcli.config import MODES

Store = Annotated[
    Path | None,
    typer.Option(
        "--store",
        parser=as_path,
        metavar="DIR",
        help="Store to use (default: .ragcli here or in the nearest parent folder).",
    ),
]
StoreMade = Annotated[
    Path | None,
    typer.Option(
        "--store",
        parser=as_path,
        metavar="DIR",
        help="Store to make or to update (default: .ragcli here; if no PATH is given, also in the"
        " nearest parent folder).",
    ),
]
NewStore = Annotated[
    Path | None,
    typer.Option(
        "--store", parser=as_path, metavar="DIR", help="Store to make (default: .ragcli here)."
    ),
]
Stores = Annotated[
    list[Path] | None,
    typer.Option(
        "--store",
        parser=as_path,
        metavar="DIR",
        help="Store to use (default: .ragcli here or in the nearest parent folder); repeat it to"
        " search several stores at once.",
    ),
]
Fresh = Annotated[
    bool | None,
    typer.Option(
        "--fresh/--no-fresh",
        help="First index small changes of the folders; larger ones are said and left.",
    ),
]
Force = Annotated[
    bool, typer.Option("--force", help="Replace a file even if ragcli did not write it.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Hide progress and notes.")]
Embedder = Annotated[
    str | None, typer.Option(metavar="DIR", help="Embedding model: default, or its folder.")
]
Llm = Annotated[
    str | None,
    typer.Option(
        metavar="MODEL",
        help="Language model: auto, none, a GGUF file, or the name of an installed model.",
    ),
]

In = Annotated[
    list[str] | None,
    typer.Option(
        "--in",
        metavar="FOLDER|GLOB",
        help="Search only in this folder, or in files that match, as in .gitignore; ! in front"
        " excludes; may be repeated.",
        autocompletion=completion.places,
    ),
]
Type = Annotated[
    list[str] | None,
    typer.Option(
        "--type",
        metavar="SUFFIX",
        help="Search only files of this type: pdf, md, ...; may be repeated.",
        autocompletion=completion.types,
    ),
]
Since = Annotated[
    str | None,
    typer.Option(
        metavar="DATE",
        help="Search only documents of this date or later: 2026-01-31, 2026, or an age: 7d, 2w, 3m,"
        " 1y. The date is that of the front matter, otherwise that of the file.",
    ),
]
Where = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FIELD=VALUE",
        help="Search only documents with this field in their front matter: author=Ada*, tags=draft;"
        " may be repeated.",
        autocompletion=completion.fields,
    ),
]
Mode = Annotated[
    str | None,
    typer.Option(help=f"How to retrieve: {', '.join(MODES)}.", autocompletion=completion.modes),
]
Format = Annotated[
    str | None,
    typer.Option(
        metavar="FORMAT",
        help=f"How to print: {', '.join(FORMATS)} (--json is short for json).",
        autocompletion=lambda incomplete: [x for x in FORMATS if x.startswith(incomplete)],
    ),
]
