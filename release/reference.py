"""Write docs/reference/ from the code: commands, settings, JSON, and the tools of serve.

python -m release.reference
"""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

from ragcli.asking import answer_json
from ragcli.config import Settings
from ragcli.serve.tool import Tool
from ragcli.serve.tools import Tools
from ragcli.store import listings
from ragcli.types import Answer, Citation, Document, Event, Hit, IndexResult, Reply, ShortAnswer
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
        "Defaults < `ragcli.toml` in the current folder < variables < flags. `ragcli config show`",
        "prints the value of each and where it comes from.",
        "",
        "| setting | variable | type | default | |",
        "|---|---|---|---|---|",
    ]
    hints = get_type_hints(Settings)
    for field in fields(Settings):
        default = f'"{field.default}"' if isinstance(field.default, str) else str(field.default)
        variable = f"`RAGCLI_{field.name.upper()}`"
        kind = hints[field.name].__name__
        text = _cell(str(field.metadata["help"]))
        lines.append(f"| `{field.name}` | {variable} | {kind} | `{_cell(default)}` | {text} |")
    return "\n".join(lines) + "\n"


def _record(kind: type, names: tuple[str, ...] = (), title: str = "") -> str:
    hints = get_type_hints(kind)
    chosen = names or tuple(field.name for field in fields(kind))
    doc = " ".join((kind.__doc__ or "").replace("``", "`").split())
    rows = [f"| `{name}` | {_cell(_type(hints[name]))} |" for name in chosen]
    head = f"### {title or kind.__name__}\n\n{doc.replace('<', '&lt;')}"
    return "\n".join([head, "", "| field | type |", "|---|---|", *rows, ""])


def _type(hint: Any) -> str:
    text = getattr(hint, "__name__", None) if isinstance(hint, type) else None
    return f"`{re.sub(r'(?:ragcli|typing)[.a-z_]*[.]', '', text or str(hint))}`"


def _json() -> str:
    intro = f"""{_MADE}# JSON fields

Fields may be added in any release; none changes its meaning within a major version. Offsets count
characters (Unicode code points) of the document's text.

## ask --json

One object: the fields of Answer, and those of Reply as `answer` (its text), `short`, `abstained`,
`answer_by`, `note`, `sentences` and `citations`. Each hit has `via` (strategies) and `why` (notes).

"""
    parts = [
        _record(Answer, title="Answer"),
        _record(Reply, title="Reply"),
        _record(ShortAnswer, answer_json._SHORT),
        _record(Citation, answer_json._CITATION),
        _record(Hit, answer_json._HIT),
        "## inspect --json\n\nLists print one object on each line.\n",
        _record(Document, title="Document (docs)"),
        _record(listings.ListedChunk, title="Chunk (chunks)"),
        _record(listings.ListedEntity, title="Entity (entities)"),
        _record(listings.EntityDetails, title="Entity in detail (entity)"),
        _record(listings.ListedRelation, title="Relation (relations)"),
        "## index and update --json\n",
        _record(IndexResult, title="Result"),
        _record(Event, title="Event of progress"),
    ]
    return intro + "\n".join(parts)


def _tools() -> str:
    tools = Tools(Path(), Settings()).all()
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
