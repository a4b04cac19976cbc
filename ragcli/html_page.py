"""HTML pages from Jinja2 templates: everything escaped, one file, nothing loaded from elsewhere."""

from __future__ import annotations

from base64 import b64encode
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from jinja2 import Environment


def render(template: Path, style: Path, script: Path, **values: Any) -> str:
    """Return the page that ``template`` makes of ``values``.

    The template writes ``style`` and ``script`` inline, and puts ``policy`` into its meta element.
    All other values are escaped; ``{{ value | tojson }}`` writes data for the script.
    """
    from markupsafe import Markup

    css, code = (file.read_text(encoding="utf-8") for file in (style, script))
    trusted = {"style": css, "script": code, "policy": content_policy(css, code)}
    page = _environment(template.parent).get_template(template.name)
    return page.render({name: Markup(text) for name, text in trusted.items()}, **values)


def content_policy(style: str, script: str) -> str:
    """Return the Content-Security-Policy of a page: it loads nothing and runs this script only.

    Style and script are named by their hashes, so the browser ignores any other element that a
    document's text might smuggle in.
    """
    return (
        "default-src 'none'; base-uri 'none'; form-action 'none'; "
        f"style-src '{_hash(style)}'; script-src '{_hash(script)}'"
    )


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


@lru_cache
def _environment(folder: Path) -> Environment:
    # Imported here: only commands that write a page pay for it.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.policies["json.dumps_function"] = _json
    environment.policies["json.dumps_kwargs"] = {}
    return environment


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()
