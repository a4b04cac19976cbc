"""Hints for wrong usage: what was meant, or where an option belongs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

MEANT = {
    **dict.fromkeys(("add", "build", "create", "import", "ingest", "init", "load"), "index FOLDER"),
    **dict.fromkeys(("refresh", "reindex", "sync"), "update"),
    "watch": "update --watch",
    **dict.fromkeys(("answer", "query", "question"), 'ask "QUESTION"'),
    **dict.fromkeys(("chat", "repl", "shell", "talk"), "ask"),
    **dict.fromkeys(("find", "grep", "retrieve"), "search WORDS"),
    **dict.fromkeys(("info", "stats", "status"), "inspect stats"),
    **dict.fromkeys(("docs", "documents", "files", "list", "ls"), "inspect docs"),
    **dict.fromkeys(("cat", "show"), "inspect doc ID --text"),
    "graph": "inspect graph",
    **dict.fromkeys(("mcp", "server"), "serve"),
    **dict.fromkeys(("check", "repair"), "doctor"),
    "help": "--help",
    "version": "--version",
    **dict.fromkeys(("export", "pack"), "bundle export FILE"),
}
"""Names of commands in other tools -> what to type here."""


def is_usage_error(error: Exception) -> bool:
    """Whether Typer raised it: newer releases bundle their own Click, older ones import it."""
    return any(base.__name__ == "ClickException" for base in type(error).__mro__)


def hint(error: Any, given: Sequence[str]) -> str:
    """A hint for a usage error, "" for none. ``given``: the program's arguments."""
    context: Any = getattr(error, "ctx", None)
    command = context.command.name if context else None
    if name := getattr(error, "option_name", ""):
        if name in ("--debug", "--version") and command != "ragcli":
            return f"Put it before the command: ragcli {name} {command} ..."
        if command and hasattr(context.command, "commands") and not error.possibilities:
            return f"Put options after the command: {context.command_path} COMMAND {name} ..."
        if asked := next((text for text in given if text.startswith(name) and " " in text), ""):
            return f'Put -- before a text that begins with "-": ragcli {command} -- "{asked}"'
        return ""
    if command == "ragcli":
        return _meant(getattr(error, "message", ""), given)
    return ""


def _meant(message: str, given: Sequence[str]) -> str:
    """What an unknown command was meant for: another command, or a question in several words."""
    if not message.startswith("No such command '") or "Did you mean" in message:
        return ""
    first, *more = " ".join(given).split()
    if first.startswith("-"):
        return ""
    if first in MEANT and (len(more) <= 1 or more[0].startswith("-")):
        return f"Try: ragcli {MEANT[first]}"
    return f'To ask a question: ragcli ask "{" ".join([first, *more])}"' if more else ""
