"""Plain arguments of ``ask`` mean what Typer reads in them."""

from __future__ import annotations

from dataclasses import fields
from random import Random
from typing import Any

import pytest
from typer.main import get_command

from ragcli.cli import ask
from ragcli.cli.commands import app
from ragcli.cli.plain_arguments import plain_ask
from ragcli.cli.run_ask import AskArguments

# What options of a type may be given.
FITTING = {
    "str": ("auto", "a b", "=", "x=y"),
    "Path": ("a", "a/../b", "/x y"),
    "list[Path]": ("a", "a/../b", "/x y"),
    "list[str]": ("docs", "!*.md", "author=Ada*"),
    "int": ("1", "20", "999999999"),
    "float": ("0", "1", "0.05", "1.0"),
}


def _options() -> list[Any]:
    command: Any = get_command(app)
    return [p for p in command.commands["ask"].params if p.param_type_name == "option"]


def _names(option: Any) -> list[str]:
    return [*option.opts, *option.secondary_opts]


KINDS = {f.name: str(f.type).removesuffix(" | None") for f in fields(AskArguments)}
VALUES = {n: FITTING[k] for o in _options() for n in o.opts if (k := KINDS[o.name]) != "bool"}
FLAGS = [name for option in _options() for name in option.opts if KINDS[option.name] == "bool"]
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


@pytest.mark.parametrize("seed", range(10))
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


# Values that one of the two might read in its own way.
ODD_VALUES = (
    *("", " ", "-", "--", "-1", "-0.5", "-x", "+5", "0", "00", "007", "1_000", "1e3", "0x5"),
    *("\uff15", "1000000000000", "1.", ".5", "1.5", "nan", "inf", "true", "None", "~", "~/x"),
    *("a//b", "a/../b", "$HOME", "*.md", "a,b", "a b", "a\nb", "\udcff", "\u00e4", "--json"),
    *("--mode", "ask", "=", "==x"),
)
MISTAKES = ("--unknown", "--unknown=1", "-x", "-qq", "-qx", "-q=1", "--Mode", "---mode", "-mode")


NAMES = [name for option in _options() for name in _names(option)]


def _agree(by_typer: Any, given: list[str]) -> bool:
    """Whether they are plain; fails if they are and mean something else to Typer, or nothing."""
    plain = plain_ask(["ask", *given], {})
    if plain is not None:
        try:
            meant = by_typer(given)
        except Exception as error:
            pytest.fail(f"{given}: {plain}, but Typer: {error!r}")
        assert plain == meant, given
    return plain is not None


@pytest.mark.parametrize("option", _options(), ids=lambda option: option.name)
def test_each_option_with_any_value(by_typer: Any, option: Any) -> None:
    """In two words and with "=", at the end, before a word, twice, behind "--", cut short."""
    random, plain = Random(0), 0
    for name in _names(option):
        values = (*ODD_VALUES, *VALUES.get(name, ()))
        for n, value in enumerate(values):
            for given in ([name, value], [f"{name}={value}"]):
                around = (given, [*given, "Who?"], ["Who?", *given], [*given, *given])
                plain += _agree(by_typer, around[n % len(around)])
        assert _agree(by_typer, ["Who?", "--", name, random.choice(values)])
        for end in range(2, len(name)):
            _agree(by_typer, [name[:end], "1"])
            _agree(by_typer, [f"{name[:end]}=1"])
    assert plain > 0, "the option always waits for Typer"


@pytest.mark.parametrize("seed", range(10))
def test_no_arguments_mean_one_thing_here_and_another_to_typer(by_typer: Any, seed: int) -> None:
    """Options, odd values, mistakes and words in any order: equal, or left to Typer."""
    random = Random(seed)
    plain = 0
    for _ in range(100):
        words: list[str] = []
        for _ in range(random.randint(1, 6)):
            name = random.choice(NAMES)
            value = random.choice(random.choice([VALUES.get(name, WORDS), ODD_VALUES]))
            kinds = [[name, value], [f"{name}={value}"], [name], [value], [random.choice(WORDS)]]
            kinds.append([random.choice([*MISTAKES, "--help", "-h", name[:-1]])])
            words += random.choices(kinds, [6, 6, 1, 2, 4, 0.5])[0]
        plain += _agree(by_typer, words)
    assert plain >= 5


def test_no_option_is_read_from_elsewhere() -> None:
    """Neither variables of the environment nor callbacks: plain arguments know of none."""
    command: Any = get_command(app)
    assert not command.context_settings.get("auto_envvar_prefix")
    for option in _options():
        assert option.envvar is None and option.callback is None, option.name
        assert option.nargs == 1 and not option.prompt, option.name


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
