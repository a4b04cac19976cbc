"""ragcli search, the documentation of the terminal, completion, and what a newcomer meets."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from conftest import ROOT, SAMPLE, Run
from typer.main import get_command
from typer.testing import CliRunner

import ragcli as ragcli_api
from ragcli.cli import completion, inputs
from ragcli.cli.commands import FIRST_STEPS, app
from ragcli.cli.search import best_sentence
from ragcli.errors import ConfigError, InputError

LEAKS = {
    "a.md": "# Notes\n\nThe pump house is old. The pump leaks by day.\n",
    "b.md": "# Diary\n\nThe pump leaks at night.\n",
    "c.md": "# Letter\n\nOur pump leaks. Nobody minds.\n",
}


@pytest.fixture(scope="module")
def leaks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ragcli_api.Store]:
    folder = tmp_path_factory.mktemp("leaks")
    for name, text in LEAKS.items():
        (folder / name).write_text(text)
    ragcli_api.index(folder, store=folder / "s")
    with ragcli_api.Store.open(folder / "s") as store:
        yield store


PAGE = (ROOT / "docs" / "terminal.md").read_text(encoding="utf-8")
EXAMPLES = [
    tuple(example.split("\n", 1))
    for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    for example in re.split(r"^\$ ragcli ", block, flags=re.MULTILINE)[1:]
]


@pytest.mark.parametrize(("command", "output"), EXAMPLES, ids=[e[0] for e in EXAMPLES])
def test_the_examples_of_the_documentation(
    called: Run, sample_store: Path, command: str, output: str
) -> None:
    """What docs/terminal.md shows is what is printed; errors exit with 2."""
    done = called(*shlex.split(command), "--store", sample_store)
    assert done.stdout + done.stderr == output
    assert done.returncode == (2 if done.stderr else 0)


def test_search_as_json_and_as_paragraphs(called: Run, sample_store: Path) -> None:
    """A hit a line; exact offsets; whole passages; nothing found is negative."""
    done = called("search", "resin", "-k", 3, "--json", "--store", sample_store)
    hits = [json.loads(line) for line in done.stdout.splitlines()]
    assert [hit["rank"] for hit in hits] == [1, 2, 3]
    text = called("inspect", "doc", hits[0]["doc"], "--text", "--store", sample_store).stdout
    assert text[hits[0]["start"] : hits[0]["end"]] == hits[0]["text"]
    full = called("search", "resin", "-k", 1, "--full", "--store", sample_store).stdout
    assert " ".join(hits[0]["text"].split()) in full
    for mode in ("bm25", "auto", "naive"):
        none = called("search", "qqqzzzxxy", "--mode", mode, "--store", sample_store)
        assert none.returncode == 1 and not none.stdout


def test_search_lists_no_place_twice(called: Run, tmp_path: Path) -> None:
    """Passages of a document that say the same count once; two of a line are one line."""
    said = "The pump of the harbour leaks at night, and the valve of the harbour is shut. "
    (tmp_path / "log.md").write_text(f"# Log\n\n{said * 40}\n")
    (tmp_path / "copy.md").write_text(f"# Log\n\n{said}\n")
    assert called("index", tmp_path, "--store", tmp_path / "s", "-q").returncode == 0
    listed = called("search", "harbour pump", "--store", tmp_path / "s", cwd=tmp_path).stdout
    assert sorted(line.split(": ")[0] for line in listed.splitlines()) == ["copy.md:3", "log.md:3"]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("pump", {"a.md", "b.md", "c.md"}),
        ('"pump house"', {"a.md"}),
        ("pump -houses", {"b.md", "c.md"}),
        ('pump -"at night"', {"a.md", "c.md"}),
        ("pump title:diary", {"b.md"}),
        ("pump path:a.md", {"a.md"}),
        ("pump -path:a.md", {"b.md", "c.md"}),
        ('"pump leaks" -house', {"b.md", "c.md"}),
        ('"leaks pump"', set()),
    ],
)
def test_a_query_may_have_conditions(leaks: ragcli_api.Store, query: str, found: set[str]) -> None:
    """Words of phrases and words to leave out count in any form."""
    assert {hit.doc for hit in leaks.search(query)} == found


def test_a_rare_phrase_is_found_among_many_passages(tmp_path: Path) -> None:
    """Its words are everywhere, side by side in one passage only."""
    for n in range(150):
        (tmp_path / f"{n}.txt").write_text(f"The house of the pump, no. {n}: the pump is a house.")
    (tmp_path / "last.txt").write_text("Nobody knows what went on there. The pump house is shut.")
    ragcli_api.index(tmp_path, store=tmp_path / "s")
    with ragcli_api.Store.open(tmp_path / "s") as store:
        assert [hit.doc for hit in store.search('"pump house" the house', top_k=2)] == ["last.txt"]


def test_lines_around_a_sentence(called: Run, tmp_path: Path) -> None:
    """As they stand in the document, indented below the line."""
    (tmp_path / "a.txt").write_text("One is first.\n\nTwo of us saw\nthe resin.\n\nIt was good.\n")
    assert called("index", tmp_path, "--store", tmp_path / "s", "-q").returncode == 0
    done = called("search", "resin", "-C", 1, "--store", tmp_path / "s", cwd=tmp_path)
    assert done.stdout == "a.txt:3: Two of us saw the resin.\n\n    Two of us saw\n    the resin.\n"


@pytest.mark.parametrize(
    ("query", "line"),
    [
        ("pump", "The pump leaks."),
        ("weather", "The pump leaks."),
        ("Monday rain", "It rains."),
        ("Monday", "The pump leaks."),
        ("garden", "title: Monday"),
        ("", "The pump leaks."),
    ],
)
def test_the_line_that_tells_is_no_rule(query: str, line: str) -> None:
    """A note begins with front matter; its rules say nothing, its fields only if asked for."""
    text = "---\ntitle: Monday\ntags: garden\n---\n# Monday\n\n***\n\nThe pump leaks. It rains.\n"
    start, end = best_sentence(text, query)
    assert text[start:end].startswith(line)
    assert best_sentence("---", "pump") == (0, 3)


def test_a_question_from_a_pipe(called: Run, sample_store: Path) -> None:
    """No dash is needed; --no-input does not wait; an empty pipe is an error."""
    command = ("ask", "--answer", "none", "--top-k", 1, "--store", sample_store)
    done = called(*command, input="Who signed the resin letter?\n")
    assert done.returncode == 0 and done.stdout.startswith("\n1. ")
    for more in ((), ("--no-input",)):
        refused = called(*command, *more)
        assert refused.returncode == 2 and "no question given" in refused.stderr


def test_formats(called: Run, sample_store: Path) -> None:
    """--format json is --json; two formats are an error."""
    command = ("search", "resin", "-k", 1, "--store", sample_store)
    as_json = called(*command, "--format", "json").stdout
    assert json.loads(as_json)["rank"] == 1
    org = called(*command, "--format", "org").stdout
    assert re.match(r"- \[\[file:/.*\.txt::24\]\[sample_corpus/letters/.*:24\]\]: The coil", org)
    with pytest.raises(ConfigError, match="exclude each other"):
        inputs.output_format("org", json=True)
    with pytest.raises(ConfigError, match="cannot be 'pdf'"):
        inputs.output_format("pdf", json=False)


def test_paths_open_from_the_current_folder(
    called: Run, sample_store: Path, tmp_path: Path
) -> None:
    """Those that are printed, and those in JSON; elsewhere they are absolute."""
    command = ("search", "resin", "-k", 1, "--store", sample_store)
    letter = "vautrin-to-wierzba-2019-03-04.txt"
    places = {SAMPLE / "letters": "", SAMPLE: "letters/", tmp_path: f"{SAMPLE / 'letters'}{os.sep}"}
    for here, start in places.items():
        assert called(*command, "-l", cwd=here).stdout == f"{start}{letter}\n"
        hit = json.loads(called(*command, "--json", cwd=here).stdout)
        assert (hit["path"], hit["doc"]) == (f"{start}{letter}", f"letters/{letter}")
    how = ("--answer", "extractive", "--min-confidence", 0, "--json", "--store", sample_store)
    asked = called("ask", "Who signed the resin letter?", *how, cwd=tmp_path)
    cited = json.loads(asked.stdout)["citations"]
    assert cited and all(Path(c["path"]).is_absolute() and Path(c["path"]).is_file() for c in cited)


def test_the_telling_sentence() -> None:
    text = "First of all.\nThe radar failed\non Sunday. It was old."
    start, end = best_sentence(text, "Did radars fail?")
    assert text[start:end] == "The radar failed\non Sunday."
    assert best_sentence("no sentence", "x") == (0, 11)
    assert best_sentence("One. Two.", "") == (0, 4)


def test_without_arguments_there_are_three_commands() -> None:
    """They exist, and the code says that nothing was done."""
    done = CliRunner().invoke(app, [])
    assert done.exit_code == 2 and done.stdout == FIRST_STEPS
    named = re.findall(r"^  ragcli (\w+)", FIRST_STEPS, re.MULTILINE)
    assert named == ["index", "ask", "search"]
    assert set(named) <= get_command(app).commands.keys()  # type: ignore[attr-defined]


def test_completion(sample_store: Path) -> None:
    """Values of the store that the command line names; without a store nothing, and no error."""

    class Context:
        params = {"store": str(sample_store)}  # noqa: RUF012

    assert completion.modes("wa") == ["walk"]
    assert completion.places(Context, "l") == ["letters/"]
    assert "letters/Nemeth to Delorme 2020-09-11.txt" in completion.places(Context, "letters/")
    assert completion.documents(Context, "letters/vautrin") == [
        "letters/vautrin-to-wierzba-2019-03-04.txt"
    ]
    assert completion.types(Context, "") == ["jsonl", "md", "txt"]
    assert completion.fields(Context, "ti") == ["title="]
    assert "Kesselhorn Observatory" in completion.entities(Context, "kesselhorn")
    Context.params = {"store": "/nowhere"}
    for values in (completion.places, completion.documents, completion.types, completion.entities):
        assert values(Context, "") == []


def test_words() -> None:
    """Words are joined; without any there is an error with an example."""
    assert inputs.words(["What", "does", "it", "do"], "") == "What does it do"
    with pytest.raises(InputError) as error:
        inputs.words(["  "], "for example")
    assert error.value.hint == "for example"


def test_the_help_wraps_at_the_width_of_the_terminal() -> None:
    """A paragraph of help is one line: it does not break where the source breaks."""
    group: Any = get_command(app)
    commands = [group]
    while commands:
        command = commands.pop()
        commands += getattr(command, "commands", {}).values()
        assert not re.search(r"[^\n]\n[^\n]", command.help or ""), command.name


@pytest.mark.parametrize(
    ("words", "joined", "completed"),
    [
        (["--where", "author", "=", "A"], "--where author=A", "Ada\\ \\$B\n"),
        (["--where", "author", "="], "--where author=", "Ada\\ \\$B\n"),
        (["--where", "author", "=", '"A'], '--where author="A', "Ada $B\n"),
        (["--where", "a", "=", "A", "--in", ""], "--where a=A --in ", "author=Ada\\ \\$B\n"),
        (["--where", "au"], "--where au", "author=Ada\\ \\$B\n"),
        (["x", "=", "y"], "x = y", "author=Ada\\ \\$B\n"),
    ],
)
def test_bash_splits_words_at_equals_signs(
    words: list[str], joined: str, completed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are joined again before the command line is completed, and escaped after it."""
    words = ["ragcli", "ask", *words]
    environ = {"_RAGCLI_COMPLETE": "complete_bash", "COMP_CWORD": str(len(words) - 1)}
    environ["COMP_WORDS"] = "\n".join(words)
    with completion.for_bash(environ):
        typer.echo("author=Ada $B")
    found = environ["COMP_WORDS"].split("\n")
    assert " ".join(found) == f"ragcli ask {joined}"
    assert environ["COMP_CWORD"] == str(len(found) - 1)
    assert capsys.readouterr().out == completed


def test_other_shells_get_completions_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    """Their words are not touched either."""
    environ = {"_RAGCLI_COMPLETE": "complete_zsh", "COMP_WORDS": "a", "COMP_CWORD": "0"}
    before = dict(environ)
    with completion.for_bash(environ):
        typer.echo("author=Ada B")
    assert environ == before and capsys.readouterr().out == "author=Ada B\n"


def test_completion_in_a_real_bash(called: Run, tmp_path: Path) -> None:
    """Names with blanks are one word, and values follow their field."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.md").write_text("---\nauthor: Ada Byron\n---\n# A\nAda Byron met Jon Falk.\n")
    assert called("index", docs, "--store", tmp_path / "s").returncode == 0
    program = tmp_path / "bin" / "ragcli"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m ragcli "$@"\n')
    program.chmod(0o755)
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    script = """
    eval "$(_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION=1 ragcli --show-completion bash)"
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _ragcli_completion ragcli
    printf '%s\\n' "${COMPREPLY[@]}"
    """

    def completed(*words: str) -> list[str]:
        done = subprocess.run(
            ["bash", "-c", script, "bash", "ragcli", *words],
            capture_output=True,
            text=True,
            timeout=60,
            env={**os.environ, "PATH": path},
        )
        return done.stdout.splitlines()

    store = ("--store", str(tmp_path / "s"))
    assert "Ada\\ Byron" in completed("inspect", "entity", *store, "Ada")
    assert completed("ask", *store, "--where", "author", "=", "A") == ["Ada\\ Byron"]
    assert completed("ask", *store, "--where", "author", "=") == ["Ada\\ Byron"]
    assert completed("ask", *store, "--where", "au") == ["author="]


def test_pages(called: Run, sample_store: Path) -> None:
    """--offset skips the passages of the pages before."""
    base = ("search", "resin letter", "--json", "--store", sample_store)
    whole = called(*base, "-k", 6).stdout.splitlines()
    assert called(*base, "-k", 3, "--offset", 3).stdout.splitlines() == whole[3:]
