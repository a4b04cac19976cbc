"""Write man pages from the help: one for the program and one for each command.

python -m release.man FOLDER
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from ragcli.version import VERSION
from release.commands import Command, Parameter, commands


def pages() -> dict[str, str]:
    """Every page by its file name."""
    found = list(commands())
    return {f"{c.name.replace(' ', '-')}.1": page(c, found) for c in found}


def page(command: Command, others: list[Command]) -> str:
    """A man page in roff."""
    name = command.name.replace(" ", "-")
    summary, _, rest = command.help.partition("\n")
    lines = [
        f'.TH "{name.upper()}" "1" "" "ragcli {VERSION}" "ragcli"',
        ".SH NAME",
        f"{_escaped(name)} \\- {_escaped(summary.rstrip('.'))}",
        ".SH SYNOPSIS",
        f".B {_escaped(command.usage)}",
        ".SH DESCRIPTION",
        _paragraphs(f"{summary}\n{rest}"),
    ]
    for title, some in (("ARGUMENTS", command.arguments), ("OPTIONS", command.options)):
        if some:
            lines += [f".SH {title}", *map(_parameter, some)]
    if command.group:
        lines += _children(command, others)
    if command.name == "ragcli":
        lines += _exit_status()
    lines += [".SH SEE ALSO", _see_also(command, others)]
    return "\n".join(lines) + "\n"


def _children(command: Command, others: list[Command]) -> list[str]:
    depth = command.name.count(" ") + 1
    below = [
        c for c in others if c.name.startswith(f"{command.name} ") and c.name.count(" ") == depth
    ]
    rows = [_parameter(Parameter(c.name, c.help.partition("\n")[0])) for c in below]
    return [".SH COMMANDS", *rows]


def _exit_status() -> list[str]:
    rows = [
        Parameter("0", "Success."),
        Parameter("1", "A negative result: no answer, a stale store, a document that failed."),
        Parameter("2", "An error."),
        Parameter("130", "Stopped with Ctrl-C."),
    ]
    return [".SH EXIT STATUS", *map(_parameter, rows)]


def _see_also(command: Command, others: list[Command]) -> str:
    parent = command.name.rpartition(" ")[0]
    names = [parent] if parent else [c.name for c in others if c.name.count(" ") == 1]
    return ",\n".join(f"\\fB{_escaped(n.replace(' ', '-'))}\\fR(1)" for n in names)


def _parameter(parameter: Parameter) -> str:
    text = _escaped(" ".join(parameter.help.split()))
    return f".TP\n.B {_escaped(parameter.usage)}\n{text}"


def _paragraphs(text: str) -> str:
    """Paragraphs; blocks of aligned lines stay as they are."""
    blocks = []
    for block in re.split(r"\n\s*\n", text.strip()):
        lines = block.splitlines()
        if any(line.startswith("  ") or re.search(r"\S {3,}\S", line) for line in lines):
            blocks.append(f".nf\n{_escaped(block)}\n.fi")
        else:
            blocks.append(_escaped(" ".join(lines)))
    return "\n.PP\n".join(blocks)


def _escaped(text: str) -> str:
    """Text that roff prints as it is: no escapes, no requests, hyphens that can be copied."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join(f"\\&{line}" if line[:1] in (".", "'") else line for line in text.split("\n"))


def main() -> None:
    """Write every page into the folder that is named."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
