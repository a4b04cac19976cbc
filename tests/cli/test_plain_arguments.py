"""Plain arguments of ``ask`` mean what Typer reads in them."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from typer.main import get_command

from ragcli.cli import ask
from ragcli.cli.commands import app
from ragcli.cli.plain_arguments import (
    COUNTS,
    FLAGS,
    FOLDERS,
    LISTS,
    PATHS,
    SHARES,
    TEXTS,
    plain_ask,
)
from ragcli.cli.run_ask import AskArguments

VALUES = {
    **dict.fromkeys(TEXTS, ("auto", "a b", "=", "x=y")),
    **dict.fromkeys({**PATHS, **FOLDERS}, ("a", "a/../b", "/x y")),
    **dict.fromkeys(LISTS, ("docs", "!*.md", "author=Ada*")),
    **dict.fromkeys(COUNTS, ("1", "20", "999999999")),
    **dict.fromkeys(SHARES, ("0", "1", "0.05", "1.0")),
}
WORDS = ("Who", "founded it?", "-", "a=b", "ä", "--")


@pytest.fixture
def by_typer(monkeypatch: pytest.MonkeyPatch) -> Any:
    """What Typer gives to ``run_ask`` for some arguments."""
    given: list[AskArguments] = []

    def keep(arguments: AskArguments) -> int:
        given.append(arguments)
        return 0

    monkeypatch.setattr(ask, "run_ask", keep)
    command: Any = get_command(app)

    def read(arguments: list[str]) -> AskArguments:
        command(["ask", *arguments], standalone_mode=False)
        return given.pop()

    return read


def test_each_option_is_known() -> None:
    """An option that is added to ``ask`` has to be added here, too."""
    command: Any = get_command(app)
    found = {name for p in command.commands["ask"].params for name in p.opts if name[0] == "-"}
    known = {**TEXTS, **PATHS, **FOLDERS, **LISTS, **COUNTS, **SHARES, **FLAGS}
    assert found == known.keys()
    assert {*known.values(), "question"} == AskArguments.__annotations__.keys()


@pytest.mark.parametrize("seed", range(40))
def test_they_mean_the_same_to_typer(by_typer: Any, seed: int) -> None:
    """Options in any order, among the words, repeated, with "=" and without."""
    random = Random(seed)
    given: list[str] = []
    for _ in range(random.randint(0, 7)):
        option = random.choice([*VALUES, *FLAGS, *WORDS])
        if option not in VALUES:
            given.append(option)
        elif random.random() < 0.5:
            given += [option, random.choice(VALUES[option])]
        else:
            given.append(f"{option}={random.choice(VALUES[option])}")
    assert plain_ask(["ask", *given], {}) == by_typer(given)


@pytest.mark.parametrize(
    "given",
    [
        *(["ask", "--help"], ["ask", "-h"], ["ask", "--top-k"], ["ask", "--top-k", "0"]),
        *(["ask", "--top-k", "1.5"], ["ask", "--min-confidence", "2"], ["ask", "--store", ""]),
        *(["ask", "--mode", "--json"], ["ask", "--unknown", "x"], ["ask", "--quiet=1"]),
        *(["ask", "--sto", "x"], ["ask", "-qx"], ["ask", "--mode="], ["--debug", "ask", "x"]),
        *(["search", "x"], [], ["--version"]),
    ],
)
def test_what_is_not_plain_is_left_to_typer(given: list[str]) -> None:
    """Help, mistakes, other commands."""
    assert plain_ask(given, {}) is None


def test_a_shell_that_completes_is_left_to_typer(monkeypatch: pytest.MonkeyPatch) -> None:
    """So are all arguments on Windows, where Typer expands patterns."""
    assert plain_ask(["ask", "x"], {"PATH": "/bin"}) is not None
    assert plain_ask(["ask", "x"], {"_RAGCLI_COMPLETE": "complete_bash"}) is None
    monkeypatch.setattr("ragcli.cli.plain_arguments.os.name", "nt")
    assert plain_ask(["ask", "x"], {}) is None
