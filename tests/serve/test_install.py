"""Connecting assistants: places, forms, and configurations that are not damaged."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import Run

from ragcli.serve.assistants import ASSISTANTS, Machine, configuration, server_command
from ragcli.serve.connecting import COPY, SKILL, connection, skill_change
from ragcli.serve.server_entry import UnsafeChange, with_entry

HOME = Path("/home/ada")
PLACES = {
    "linux": {
        "claude-code": ".claude.json",
        "claude-desktop": ".config/Claude/claude_desktop_config.json",
        "cursor": ".cursor/mcp.json",
        "vscode": ".config/Code/User/mcp.json",
        "zed": ".config/zed/settings.json",
        "codex": ".codex/config.toml",
        "gemini": ".gemini/settings.json",
    },
    "darwin": {
        "claude-code": ".claude.json",
        "claude-desktop": "Library/Application Support/Claude/claude_desktop_config.json",
        "cursor": ".cursor/mcp.json",
        "vscode": "Library/Application Support/Code/User/mcp.json",
        "zed": ".config/zed/settings.json",
        "codex": ".codex/config.toml",
        "gemini": ".gemini/settings.json",
    },
    "win32": {
        "claude-code": ".claude.json",
        "claude-desktop": "AppData/Roaming/Claude/claude_desktop_config.json",
        "cursor": ".cursor/mcp.json",
        "vscode": "AppData/Roaming/Code/User/mcp.json",
        "zed": "AppData/Roaming/Zed/settings.json",
        "codex": ".codex/config.toml",
        "gemini": ".gemini/settings.json",
    },
}
COMMAND = ["/opt/ragcli", "serve", "--store", "/home/ada/notes/.ragcli"]
ENTRY = {"command": COMMAND[0], "args": COMMAND[1:]}
FORMS: dict[str, dict[str, Any]] = {
    "claude-code": {"mcpServers": {"ragcli-notes": {"type": "stdio", **ENTRY}}},
    "claude-desktop": {"mcpServers": {"ragcli-notes": ENTRY}},
    "cursor": {"mcpServers": {"ragcli-notes": ENTRY}},
    "vscode": {"servers": {"ragcli-notes": {"type": "stdio", **ENTRY}}},
    "zed": {"context_servers": {"ragcli-notes": {"env": {}, **ENTRY}}},
    "codex": {"mcp_servers": {"ragcli-notes": ENTRY}},
    "gemini": {"mcpServers": {"ragcli-notes": ENTRY}},
}


def machine(home: Path = HOME, platform: str = "linux", **environ: str) -> Machine:
    return Machine(platform, home, environ)


def parsed(text: str, file: Path) -> Any:
    return tomllib.loads(text) if file.suffix == ".toml" else json.loads(text)


@pytest.mark.parametrize("platform", PLACES)
@pytest.mark.parametrize("name", ASSISTANTS)
def test_where_each_keeps_its_servers(name: str, platform: str) -> None:
    """As their documentation says, for each system."""
    assert configuration(name, machine(platform=platform)) == HOME / PLACES[platform][name]


def test_variables_move_places() -> None:
    """Of the system, and CODEX_HOME."""
    moved = machine(XDG_CONFIG_HOME="/cfg", CODEX_HOME="/codex")
    assert configuration("vscode", moved) == Path("/cfg/Code/User/mcp.json")
    assert configuration("zed", moved) == Path("/cfg/zed/settings.json")
    assert configuration("codex", moved) == Path("/codex/config.toml")
    windows = machine(platform="win32", APPDATA="/roaming")
    assert configuration("claude-desktop", windows).parent == Path("/roaming/Claude")


@pytest.mark.parametrize("name", ASSISTANTS)
def test_the_form_of_each_entry(name: str, tmp_path: Path) -> None:
    """In a new configuration, and what --print shows."""
    made = connection(name, machine(tmp_path), COMMAND)
    change = made.change(install=True)
    assert parsed(change.after, made.file) == FORMS[name]
    assert parsed(made.snippet, made.file) == FORMS[name]


@pytest.mark.parametrize("name", ASSISTANTS)
def test_what_is_there_stays(name: str, tmp_path: Path) -> None:
    """Other servers and settings, through two installs and an uninstall; a copy is kept."""
    here = machine(tmp_path)
    file = configuration(name, here)
    file.parent.mkdir(parents=True, exist_ok=True)
    servers = ASSISTANTS[name].servers
    if file.suffix == ".toml":
        before = f'# mine\nmodel = "x" # why\n\n[{servers}.other]\ncommand = "o"\n\n[tail]\na = 1\n'
    else:
        before = json.dumps(
            {"theme": "é", servers: {"other": {"command": "o"}}, "n": 1.5}, indent=4
        )
    file.write_text(before, encoding="utf-8")
    file.chmod(0o600)
    there = parsed(before, file)

    connection(name, here, COMMAND).change(install=True).write()
    wanted = {**there, servers: {**there[servers], **FORMS[name][servers]}}
    assert parsed(file.read_text(encoding="utf-8"), file) == wanted
    assert file.with_name(file.name + COPY).read_text(encoding="utf-8") == before
    assert file.stat().st_mode & 0o777 == 0o600

    again = connection(name, here, [*COMMAND, "--llm=none"]).change(install=True)
    again.write()
    (found,) = parsed(again.after, file)[servers].keys() - {"other"}
    assert parsed(again.after, file)[servers][found]["args"] == [*COMMAND[1:], "--llm=none"]

    connection(name, here, COMMAND).change(install=False).write()
    assert parsed(file.read_text(encoding="utf-8"), file) == there
    if file.suffix == ".toml":
        assert file.read_text(encoding="utf-8").rstrip() == before.rstrip()


def test_other_stores_have_entries_of_their_own(tmp_path: Path) -> None:
    """Also if their folders have the same name."""
    here = machine(tmp_path)
    connection("cursor", here, COMMAND).change(install=True).write()
    other = [*COMMAND[:-1], "/home/ada/old/notes/.ragcli"]
    connection("cursor", here, other).change(install=True).write()
    servers = json.loads(configuration("cursor", here).read_text())["mcpServers"]
    assert {name: entry["args"][-1] for name, entry in servers.items()} == {
        "ragcli-notes": COMMAND[-1],
        "ragcli-notes-2": other[-1],
    }


@pytest.mark.parametrize(
    ("text", "toml", "reason"),
    [
        ('{\n  // mine\n  "theme": "x"\n}', False, "comments"),
        ('{"a": 1,}', False, "not plain JSON"),
        ('{"a": 1, "a": 2}', False, "twice"),
        ('{"a": NaN}', False, "no number"),
        ("[1]", False, "no JSON object"),
        ('{"mcpServers": [1]}', False, "no table"),
        ("[" * 100_000, False, "not plain JSON"),
        ("a = ", True, "not valid TOML"),
        ('mcpServers = {old = {command = "o"}}', True, "table of its own"),
    ],
)
def test_what_cannot_be_changed_without_loss_is_refused(text: str, toml: bool, reason: str) -> None:
    with pytest.raises(UnsafeChange) as caught:
        with_entry(text, "mcpServers", "ragcli", ENTRY, toml)
    assert reason in caught.value.message


def test_a_table_written_otherwise_is_refused() -> None:
    """It could only be changed by writing the whole file anew."""
    text = "[mcp_servers]\nragcli = {command = 'o', args = []}\n"
    with pytest.raises(UnsafeChange, match="not written as a table of its own"):
        with_entry(text, "mcp_servers", "ragcli", ENTRY, toml=True)


def test_line_ends_and_indentation_stay() -> None:
    text = '{\r\n\t"a": 1\r\n}\r\n'
    changed = with_entry(text, "mcpServers", "r", ENTRY, toml=False)
    assert changed.startswith('{\r\n\t"a": 1,\r\n\t"mcpServers"')
    assert "\n" not in changed.replace("\r\n", "")
    toml = with_entry("a = 1\r\n", "mcp_servers", "r", ENTRY, toml=True)
    assert toml.startswith("a = 1\r\n\r\n[mcp_servers.r]\r\n") and "\n" not in toml.replace(
        "\r\n", ""
    )


def test_a_file_that_changes_meanwhile_is_left_alone(tmp_path: Path) -> None:
    here = machine(tmp_path)
    file = configuration("gemini", here)
    file.parent.mkdir()
    file.write_text("{}")
    change = connection("gemini", here, COMMAND).change(install=True)
    file.write_text('{"theme": "new"}')
    with pytest.raises(Exception, match="has just changed"):
        change.write()
    assert file.read_text() == '{"theme": "new"}'


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    """People keep their configurations elsewhere and link to them."""
    here = machine(tmp_path)
    file = configuration("codex", here)
    kept = tmp_path / "dotfiles.toml"
    kept.write_text("a = 1\n")
    file.parent.mkdir()
    file.symlink_to(kept)
    connection("codex", here, COMMAND).change(install=True).write()
    assert file.is_symlink() and "ragcli-notes" in kept.read_text()


def test_the_skill_is_one(tmp_path: Path) -> None:
    """Its name is that of its folder; name and description have the lengths that agentskills.io
    allows; it names only commands that there are."""
    change = skill_change("claude-code", machine(tmp_path), install=True)
    assert change.file == tmp_path / ".claude" / "skills" / "ragcli" / "SKILL.md"
    _, front, body = SKILL.read_text(encoding="utf-8").split("---\n", 2)
    said = yaml.safe_load(front)
    assert said["name"] == change.file.parent.name and 1 <= len(said["description"]) <= 1024
    for command in ("search", "ask", "inspect docs", "inspect doc", "inspect entity", "update"):
        assert f"ragcli {command}" in body
    change.write()
    skill_change("claude-code", machine(tmp_path), install=False).write()
    assert not change.file.exists()


def test_the_command_has_full_paths() -> None:
    """A program that starts it elsewhere finds it, and takes no package of the folder it is in."""
    command = server_command([Path("docs/.ragcli")], ["--llm=none"])
    store = str(Path("docs/.ragcli").absolute())
    assert Path(command[0]).is_absolute() and command[-4:] == [
        "serve",
        "--store",
        store,
        "--llm=none",
    ]
    assert command[1] in ("serve", "-P")


def test_the_command_line(sample_store: Path, tmp_path: Path, called: Run) -> None:
    """Nothing is written unasked; --print shows it; --yes writes it, once."""
    home = {"HOME": str(tmp_path), "USERPROFILE": str(tmp_path)}

    def run(*args: object) -> Any:
        return called("serve", *args, "--store", sample_store, env=home)

    file = tmp_path / ".cursor" / "mcp.json"
    asked = run("--install", "cursor")
    assert asked.returncode == 2 and "--yes" in asked.stderr and not file.exists()
    shown = run("--install", "cursor", "--print")
    assert shown.returncode == 0 and not file.exists()
    done = run("--install", "cursor", "--yes", "--skill")
    assert done.returncode == 0, done.stderr
    assert json.loads(file.read_text()) == json.loads(shown.stdout)
    assert (tmp_path / ".agents/skills/ragcli/SKILL.md").is_file()
    assert "nothing to change" in run("--install", "cursor", "--yes").stderr
    assert run("--uninstall", "cursor", "--yes", "--skill").returncode == 0
    assert json.loads(file.read_text()) == {"mcpServers": {}}
    assert not (tmp_path / ".agents/skills/ragcli/SKILL.md").exists()
    unknown = run("--install", "clippy")
    assert unknown.returncode == 2 and "claude-code" in unknown.stderr
    zed = tmp_path / ".config" / "zed" / "settings.json"
    zed.parent.mkdir(parents=True)
    zed.write_text("// mine\n{}\n")
    refused = run("--install", "zed", "--yes")
    assert refused.returncode == 1 and "comments" in refused.stderr
    assert "context_servers" in refused.stdout and zed.read_text() == "// mine\n{}\n"


@pytest.mark.timeout(240, func_only=True)
def test_the_official_client_starts_what_is_written(sample_store: Path, tmp_path: Path) -> None:
    """An entry, read back, starts the server, in a folder with another package ragcli."""
    mcp = pytest.importorskip("mcp", reason="the development dependency mcp is not installed")
    from mcp.client.stdio import StdioServerParameters

    (tmp_path / "ragcli").mkdir()
    (tmp_path / "ragcli" / "__init__.py").write_text("raise SystemExit('the wrong one')")
    made = connection("codex", machine(tmp_path), server_command([sample_store]))
    made.change(install=True).write()
    entry = tomllib.loads(made.file.read_text())["mcp_servers"][made.name]
    assert entry["command"] in (sys.executable, str(Path(sys.executable).with_name("ragcli")))

    async def talk() -> None:
        started = StdioServerParameters(**entry, env=dict(os.environ), cwd=str(tmp_path))
        async with mcp.Client(started, read_timeout_seconds=120) as client:
            assert "search" in {tool.name for tool in (await client.list_tools()).tools}

    asyncio.run(talk())
