"""Patterns of ignore files: git's meaning, in little time whatever they are."""

from __future__ import annotations

import random
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcli.corpus.glob_patterns import compiled
from ragcli.corpus.scan import scan


def matches(line: str, path: str) -> bool:
    pattern = compiled(line)
    return pattern is not None and pattern.matches(path)


@pytest.mark.parametrize(
    ("line", "yes", "no"),
    [
        ("*.txt", ["a.txt", "b/a.txt", ".txt"], ["a.txt2", "txt"]),
        ("/a", ["a", "a/b"], ["b/a"]),
        ("a/", ["a/", "b/a/", "a/c"], ["a", "b/a"]),
        ("a/b", ["a/b", "a/b/c"], ["c/a/b"]),
        ("**/a/b", ["a/b", "c/a/b", "c/d/a/b"], ["a/c/b"]),
        ("a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["b", "x/a/b"]),
        ("a/**", ["a/b", "a/b/c"], ["a", "a/"]),
        ("a?c", ["abc"], ["a/c", "ac"]),
        ("[a-c]x", ["ax", "q/bx"], ["dx", "-x"]),
        ("[!a-c]x", ["dx"], ["ax", "/x"]),
        ("[z-a]", ["z"], ["a", "m"]),
        ("[]-]", ["]", "-"], ["a"]),
        ("[", [], ["["]),
        ("[[:digit:]]", ["7"], ["a", ":"]),
        ("\\!a", ["!a"], ["a"]),
        ("\\#a", ["#a"], ["a"]),
        ("#a", [], ["#a", "a"]),
        ("a ", ["a"], ["a "]),
        ("a\\ ", ["a "], ["a"]),
        ("a\\", [], ["a", "a\\"]),
    ],
)
def test_what_patterns_match(line: str, yes: list[str], no: list[str]) -> None:
    assert [path for path in yes if not matches(line, path)] == []
    assert [path for path in no if matches(line, path)] == []


_PARTS = ["a", "b", "*", "**", "/", "?", "[ab]", "[!a]", "[b-a]", "c", ".", "\\*", "x", "-", "/**/"]


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_git_agrees(tmp_path: Path) -> None:
    """Patterns of random parts, each asked of git about random paths."""
    chance = random.Random(7)
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    names = ["a", "b", "ab", "aab", "a.b", "abc", "x-y", "a*"]
    paths = sorted({"/".join(chance.choices(names, k=chance.randint(1, 4))) for _ in range(200)})
    ask = ["git", "-C", str(tmp_path), "check-ignore", "--no-index", "-v", "-n", "--stdin"]
    for _ in range(60):
        line = "".join(chance.choices(_PARTS, k=chance.randint(1, 5)))
        if "//" in line or not line.strip("/"):
            continue
        (tmp_path / ".gitignore").write_text(f"{line}\n")
        said = subprocess.run(ask, input="\n".join(paths), capture_output=True, text=True).stdout
        expected = {row.rpartition("\t")[2] for row in said.splitlines() if row[:2] != "::"}
        assert {path for path in paths if matches(line, path)} == expected, line


@pytest.mark.parametrize(
    "line",
    [
        "*a" * 400 + "*b",
        "a*" * 490,
        "**/*a/" * 140 + "b",
        "**/" * 300 + "b",
        "?*" * 400 + "b",
        "**/a*a*/" * 100 + "x",
        "*" * 900 + "b",
        "[z-a]",
        "*" + "[!b]*" * 150 + "b",
        "[[:" * 300,
    ],
)
def test_no_pattern_takes_long(line: str) -> None:
    """Stars in names and between names, on names and paths of the greatest length."""
    begin = time.process_time()
    for path in ("a" * 255, "/".join(["a" * 60] * 60), "/".join("a" * 2000), f"{'a' * 254}/c"):
        matches(line, path)
    assert time.process_time() - begin < 5


def test_ignore_files_that_are_made_to_hurt(tmp_path: Path) -> None:
    """A range that ends before it begins, many stars, a giant, and a name of great length."""
    (tmp_path / ("a" * 240)).write_text("text")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "x.txt").write_text("text")
    (tmp_path / ".gitignore").write_text("[z-a]\n" + "*a" * 14 + "b\n*" * 1 + "\n!*\n!*/\n")
    with (tmp_path / "sub" / ".gitignore").open("wb") as file:
        file.truncate(1 << 40)
    begin = time.process_time()
    found = scan([tmp_path])
    assert time.process_time() - begin < 5
    assert [source.id for source in found.sources] == ["a" * 240, "sub/x.txt"]


@given(st.text(alphabet="ab*?[]!-/\\:^ #.", max_size=40), st.text(alphabet="ab/.-]", max_size=40))
def test_any_pattern_compiles_or_is_refused(line: str, path: str) -> None:
    """Nothing but ValueError, and a negated pattern matches what the plain one does."""
    try:
        found = matches(line, path)
    except ValueError:
        return
    if line and line[0] not in "!#" and line.strip():
        assert matches(f"!{line}", path) == found
