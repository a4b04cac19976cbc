"""Patterns of ignore files: git's meaning, in little time whatever they are."""

from __future__ import annotations

import random
import re
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
        ("/a", ["a", "a/"], ["b/a", "a/b"]),
        ("a/", ["a/", "b/a/"], ["a", "b/a", "a/c"]),
        ("a/b", ["a/b", "a/b/"], ["c/a/b", "a/b/c"]),
        ("**/a/b", ["a/b", "c/a/b", "c/d/a/b"], ["a/c/b"]),
        ("a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["b", "x/a/b"]),
        ("a/**", ["a/b", "a/b/c"], ["a", "a/"]),
        ("a?c", ["abc"], ["a/c", "ac"]),
        ("[a-c]x", ["ax", "q/bx"], ["dx", "-x"]),
        ("[!a-c]x", ["dx"], ["ax", "/x"]),
        ("[z-a]", ["z"], ["a", "m"]),
        ("[]-]", ["]", "-"], ["a"]),
        ("[", [], ["["]),
        ("a//b", [], ["a/b", "b"]),
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


_PARTS = ["a", "b", "*", "**", "/", "?", "[ab]", "[!a]", "[b-a]", "x", ".", "\\*", "-", "/**/"]
_LINES = [
    "*",
    "!*/",
    "!*.md",
    "*/",
    "a/",
    "!a/",
    "/a/*",
    "!/a/b/",
    "**/b/**",
    "!b",
    "/*",
    "!x-y/a.b",
]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository with 300 files in folders whose names the random patterns often match."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    chance = random.Random(5)
    for _ in range(300):
        folder = tmp_path.joinpath(*chance.choices(["a", "b", "ab", "x-y"], k=chance.randint(0, 3)))
        folder.mkdir(parents=True, exist_ok=True)
        (folder / chance.choice(["aab", "a.b", "abc", "a*", "a.md", "x.md"])).touch()
    return tmp_path


def kept_by_git(folder: Path) -> list[str]:
    """The files that ``git check-ignore`` does not name; nothing outside the folder has a say."""
    files = sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())
    files = [file for file in files if not any(part[0] == "." for part in file.split("/"))]
    ask = ["git", "-C", str(folder), "-c", "core.excludesFile=", "check-ignore", "--no-index"]
    said = subprocess.run([*ask, "--stdin"], input="\n".join(files), capture_output=True, text=True)
    return sorted({*files} - {*said.stdout.splitlines()})


def random_line(chance: random.Random) -> str:
    """A line of an ignore file.

    None has "**" after a letter, which is "*" by git's manual, but in git's wildmatch.c depends on
    where its strings lie in memory.
    """
    parts = "".join(chance.choices(_PARTS, k=chance.randint(1, 5)))
    if chance.random() < 0.4 or re.search(r"[^/*]\*\*", parts):
        return chance.choice(_LINES)
    return chance.choice(["", "!"]) + parts


def test_whole_ignore_files_mean_what_they_mean_to_git(tree: Path) -> None:
    """Random files of patterns, negated ones among them, at the top and in a folder below."""
    chance = random.Random(7)
    for _ in range(150):
        for place, most in ((tree, 6), (tree / "a", 2)):
            lines = [random_line(chance) for _ in range(chance.randint(0, most))]
            (place / ".gitignore").write_text("\n".join(lines))
        found = [source.id for source in scan([tree]).sources]
        told = [(tree / place / ".gitignore").read_text() for place in ("", "a")]
        assert found == kept_by_git(tree), told


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
