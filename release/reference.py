"""Write docs/reference/ from the code: commands, settings, JSON, and the tools of serve.

python -m release.reference
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from ragcli.asking import answer_json
from ragcli.config import Settings
from ragcli.serve import results
from ragcli.serve.served import Served
from ragcli.serve.tool import Tool
from ragcli.serve.tools import Tools
from ragcli.store import listings
from ragcli.types import Citation, Document, Hit, IndexResult, ShortAnswer, ShownPassage
from release.commands import Command, Parameter, commands

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "reference"
_MADE = "<!-- made by `make reference` from the code; do not edit -->\n\n"


def pages() -> dict[str, str]:
    """Every page of the reference by its file name."""
    return {
        "commands.md": _commands(),
        "settings.md": _settings(),
        "json.md": _json(),
        "tools.md": _tools(),
    }


def _commands() -> str:
    found = list(commands())
    head = f"{_MADE}# Commands\n\nThe texts of `ragcli COMMAND --help`.\n\n"
    return head + "\n".join(map(_command, found))


def _command(command: Command) -> str:
    level = "#" * min(command.name.count(" ") + 2, 3)
    lines = [f"{level} {command.name}", "", f"```text\n{command.usage}\n```", ""]
    lines += [_paragraphs(command.help), ""]
    for title, some in (("argument", command.arguments), ("option", command.options)):
        if some:
            lines += [f"| {title} | |", "|---|---|", *map(_parameter, some), ""]
    return "\n".join(lines)


def _paragraphs(text: str) -> str:
    """A help text as Markdown: a block of indented or aligned lines stays as it is."""
    blocks = []
    for block in re.split(r"\n\s*\n", text):
        lines = block.splitlines()
        shaped = any(line.startswith("  ") or re.search(r"\S {3,}\S", line) for line in lines)
        blocks.append(f"```text\n{block}\n```" if shaped else block.replace("<", "&lt;"))
    return "\n\n".join(blocks)


def _parameter(parameter: Parameter) -> str:
    return f"| `{_cell(parameter.usage)}` | {_cell(parameter.help)} |"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def _settings() -> str:
    lines = [
        f"{_MADE}# Settings",
        "",
        "Defaults < `ragcli.toml` in the current folder < variables < flags. The variable of a",
        "setting is `RAGCLI_` and its name in capitals (`RAGCLI_TOP_K`). `ragcli config show`",
        "prints the value of each and where it comes from.",
        "",
        "| setting | type | default | |",
        "|---|---|---|---|",
    ]
    hints = get_type_hints(Settings)
    for field in fields(Settings):
        default = f'"{field.default}"' if isinstance(field.default, str) else str(field.default)
        kind = _type(hints[field.name])
        default = f"`{_cell(default)}`" if len(default) < 30 else "see `config show`"
        text = _cell(str(field.metadata["help"]))
        lines.append(f"| `{field.name}` | {kind} | {default} | {text} |")
    return "\n".join(lines) + "\n"


def _record(kind: type, names: tuple[str, ...] = (), title: str = "") -> str:
    hints = get_type_hints(kind)
    chosen = names or tuple(field.name for field in fields(kind))
    doc = " ".join((kind.__doc__ or "").replace("``", "`").split())
    rows = [f"| `{name}` | {_cell(_type(hints[name]))} |" for name in chosen]
    head = f"### {title or kind.__name__}\n\n{doc.replace('<', '&lt;')}"
    return "\n".join([head, "", "| field | type |", "|---|---|", *rows, ""])


def _type(hint: Any) -> str:
    """A type as JSON has it: "text", "list of text", "Hit or null"."""
    if is_dataclass(hint) and isinstance(hint, type):
        return hint.__name__
    if get_origin(hint) is tuple:
        return f"list of {_type(get_args(hint)[0])}"
    if get_origin(hint) in (UnionType, Union):
        return " or ".join(map(_type, get_args(hint)))
    if get_origin(hint) is dict:
        return f"object of {_type(get_args(hint)[1])}"
    if get_origin(hint) is Literal:
        return ", ".join(f"`{value}`" for value in get_args(hint))
    return _NAMES.get(hint, str(hint))


_NAMES = {str: "text", int: "integer", float: "number", bool: "true or false", type(None): "null"}
_KINDS = {"string": "text", "boolean": "true or false"}


def _members(properties: Mapping[str, Any]) -> str:
    rows = [f"| `{name}` | {_kind(schema)} |" for name, schema in properties.items()]
    return "\n".join(["| field | type |", "|---|---|", *rows, ""])


def _kind(schema: Mapping[str, Any]) -> str:
    """A schema in words, as ``_type`` says them."""
    if "anyOf" in schema:
        return " or ".join(map(_kind, schema["anyOf"]))
    if schema.get("type") == "array":
        return f"list of {_kind(schema['items'])}"
    if "properties" in schema:
        return str(schema.get("title", f"object: {', '.join(schema['properties'])}"))
    return str(schema.get("title", _KINDS.get(schema.get("type", ""), schema.get("type"))))


def _json() -> str:
    intro = f"""{_MADE}# JSON fields

Fields may be added in any release; none changes its meaning within a major version. Offsets count
characters (Unicode code points) of the document's text.

## ask --json

One object. `short` and `citations` are empty if the documents contain no answer (`abstained`);
`note` then says why. `facts` are texts that the graph added.

"""
    hits = {"hits": {"type": "array", "items": {"title": "Hit"}}}
    parts = [
        _members({**results.ASK["properties"], **hits}),
        _record(ShortAnswer, answer_json.SHORT_NAMES, "ShortAnswer (short)"),
        _record(Citation, answer_json._CITATION),
        "`place` says the place in words: a page, a slide, a row. `also` lists citations that no "
        "mark refers to.\n",
        _record(ShownPassage, answer_json._PASSAGE, "Passage (passages)"),
        "`place` is the place in words, and `head` has `start`, `end` and `text`, or is null.\n",
        _record(Hit, answer_json.HIT_NAMES),
        "`place` is the place in words, `via` lists strategies, `why` has their notes, and `text` "
        "is the passage.\n",
        "## inspect --json\n\nLists print one object on each line.\n",
        _record(Document, title="Document (docs)"),
        _record(listings.ListedChunk, title="Chunk (chunks)"),
        _record(listings.ListedEntity, title="Entity (entities)"),
        _record(listings.EntityDetails, title="Entity in detail (entity)"),
        _record(listings.ListedRelation, title="Relation (relations)"),
        "## index and update --json\n",
        _record(IndexResult, title="Result"),
    ]
    return intro + "\n".join(parts)


def _tools() -> str:
    tools = Tools(Served([Path()]), Settings()).all()
    head = f"""{_MADE}# Tools of serve

What `ragcli serve` offers to programs that use the Model Context Protocol
([how to use it](../how-to/agents.md)). Documents are resources: `ragcli://document/{{doc}}` and
`ragcli://document/{{doc}}{{?start,end}}`.

"""
    return head + "\n".join(map(_tool, tools))


def _tool(tool: Tool) -> str:
    lines = [f"## {tool.name}", "", tool.description, ""]
    if tool.properties:
        lines += ["| argument | | |", "|---|---|---|"]
    for name, schema in tool.properties.items():
        needed = "required" if name in tool.required else _default(schema)
        lines.append(f"| `{name}` | {_cell(_schema(schema))} | {needed} |")
    fields_ = ", ".join(f"`{name}`" for name in (tool.output or {}).get("properties", {}))
    lines += ["", f"Structured result: {fields_ or 'none; the text is JSON'}.", ""]
    if tool.aliases:
        also = ", ".join(f"`{a}` for `{b}`" for a, b in tool.aliases.items())
        lines += [f"It also accepts {also}.", ""]
    return "\n".join(lines)


def _default(schema: dict[str, Any]) -> str:
    return f"default {schema['default']}" if "default" in schema else ""


def _schema(schema: dict[str, Any]) -> str:
    text = str(schema.get("description", ""))
    if "enum" in schema:
        text += f" One of: {', '.join(schema['enum'])}."
    if "maximum" in schema and schema["maximum"] < 2**50:
        text += f" From {schema['minimum']} to {schema['maximum']}."
    if "maxLength" in schema:
        text += f" At most {schema['maxLength']} characters."
    return text


def main() -> None:
    """Write every page."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
