"""The assistants that ``serve --install`` knows: where each keeps its servers, and in which form.

The sources are named in docs/how-to/agents.md. Nothing here opens a file.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragcli.serve.jsonrpc import Json


@dataclass(frozen=True, slots=True)
class Machine:
    """What places depend on: the platform as in ``sys.platform``, the home folder, variables."""

    platform: str
    home: Path
    environ: Mapping[str, str]

    @property
    def settings(self) -> Path:
        """The system's folder for the settings of programs."""
        if self.platform == "win32":
            return Path(self.environ.get("APPDATA") or self.home / "AppData" / "Roaming")
        if self.platform == "darwin":
            return self.home / "Library" / "Application Support"
        return self.dot_config

    @property
    def dot_config(self) -> Path:
        """The same on Linux, which some programs use on macOS, too."""
        return Path(self.environ.get("XDG_CONFIG_HOME") or self.home / ".config")


@dataclass(frozen=True, slots=True)
class Assistant:
    """A program that starts MCP servers.

    ``servers``: the member of its configuration that has a member for each server; ``more``:
    members of an entry besides ``command`` and ``args``; ``skills``: the folder below the home
    folder where it looks for skills, "" if it has none.
    """

    title: str
    servers: str
    skills: str = ""
    more: tuple[tuple[str, object], ...] = ()

    def entry(self, command: Sequence[str]) -> Json:
        """The entry of a server that this command starts."""
        return {**dict(self.more), "command": command[0], "args": list(command[1:])}


_STDIO = (("type", "stdio"),)
_SHARED_SKILLS = ".agents/skills"

ASSISTANTS = {
    "claude-code": Assistant("Claude Code", "mcpServers", ".claude/skills", _STDIO),
    "claude-desktop": Assistant("Claude Desktop", "mcpServers"),
    "cursor": Assistant("Cursor", "mcpServers", _SHARED_SKILLS),
    "vscode": Assistant("Visual Studio Code", "servers", _SHARED_SKILLS, _STDIO),
    "zed": Assistant("Zed", "context_servers", _SHARED_SKILLS, (("env", {}),)),
    "codex": Assistant("Codex", "mcp_servers", _SHARED_SKILLS),
    "gemini": Assistant("Gemini CLI", "mcpServers", _SHARED_SKILLS),
}


def configuration(name: str, machine: Machine) -> Path:
    """The file of an assistant's own configuration; a ``.toml`` file is TOML, others are JSON."""
    home, settings = machine.home, machine.settings
    zed = settings if machine.platform == "win32" else machine.dot_config
    codex = machine.environ.get("CODEX_HOME") or home / ".codex"
    return {
        "claude-code": home / ".claude.json",
        "claude-desktop": settings / "Claude" / "claude_desktop_config.json",
        "cursor": home / ".cursor" / "mcp.json",
        "vscode": settings / "Code" / "User" / "mcp.json",
        "zed": zed / ("Zed" if machine.platform == "win32" else "zed") / "settings.json",
        "codex": Path(codex) / "config.toml",
        "gemini": home / ".gemini" / "settings.json",
    }[name]


def server_command(folders: Sequence[Path], more: Sequence[str] = ()) -> list[str]:
    """The command that serves some stores, with full paths.

    It is the script beside the running Python. Without one, Python runs the package and does not
    look for it in the current folder (``-P``), which may be that of a project.
    """
    python = Path(sys.executable)
    script = python.parent / ("ragcli.exe" if sys.platform == "win32" else "ragcli")
    program = [str(script)] if script.is_file() else [str(python), "-P", "-m", "ragcli"]
    stores = [part for folder in folders for part in ("--store", str(folder.absolute()))]
    return [*program, "serve", *stores, *more]
