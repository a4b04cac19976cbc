"""The documentation: what is made from the code is current, links lead somewhere."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from release import looks, man, pictures, reference, transcript, tutorial
from release.commands import commands

ROOT = Path(__file__).resolve().parent.parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))


@pytest.mark.parametrize("name", reference.pages())
def test_the_reference_is_current(name: str) -> None:
    """``make reference`` writes it anew."""
    written = (reference.FOLDER / name).read_text(encoding="utf-8")
    assert written == reference.pages()[name], "run: make reference"


def test_the_pictures_are_current_and_need_no_network() -> None:
    found = pictures.pictures()
    assert {p.name for p in pictures.FOLDER.iterdir()} == found.keys()
    for name, text in found.items():
        assert (pictures.FOLDER / name).read_text(encoding="utf-8") == text, "run: make reference"
        assert not re.search(r"(?:href|src|url)\s*=?\s*[\"'(]\s*(?:https?:)?//", text)


def test_every_mode_is_explained() -> None:
    """With a picture; a new mode needs its section."""
    from ragcli.config import MODES

    page = (DOCS / "modes.md").read_text(encoding="utf-8")
    headings = " ".join(re.findall(r"^## (.*)$", page, re.MULTILINE))
    assert [m for m in MODES if m not in re.split(r"[ ,]+", headings)] == []


def _anchor(heading: str) -> str:
    text = re.sub(r"[^\w\- ]", "", heading.replace("`", "").strip().lower())
    return text.replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(DOCS)))
def test_links_lead_to_files_and_headings(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if link.startswith(("http://", "https://")):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        if anchor:
            headings = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in map(_anchor, headings), link


def test_every_page_is_in_the_navigation() -> None:
    """And the navigation names no page that is missing."""
    named = re.findall(r"[\w/-]+\.md", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    assert sorted(named) == sorted(str(p.relative_to(DOCS).as_posix()) for p in PAGES)


@pytest.mark.slow
def test_the_site_builds_and_loads_nothing_from_a_network(tmp_path: Path) -> None:
    """No fonts, scripts, styles or pictures of other places; links may lead there."""
    pytest.importorskip("mkdocs", reason="the extra docs is not installed")
    pytest.importorskip("material", reason="the extra docs is not installed")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(tmp_path)]
    env = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    pages = sorted(tmp_path.rglob("*.html"))
    assert len(pages) > len(PAGES)
    for page in pages:
        text = page.read_text(encoding="utf-8")
        loaded = re.findall(r"<(?:script|img|iframe|source)[^>]*\ssrc=\"?([^\s>\"]+)", text)
        loaded += re.findall(r"<link[^>]*\shref=\"?([^\s>\"]+)", text)
        assert [url for url in loaded if re.match(r"(?:https?:)?//", url)] == [], page


def test_every_command_has_a_man_page() -> None:
    found = man.pages()
    assert len(found) == len(list(commands())) and "ragcli-serve.1" in found
    for text in found.values():
        assert ".SH NAME" in text and ".SH SYNOPSIS" in text
        # A line that begins with a dot is a request to roff; each of ours is known.
        requests = {line.split()[0] for line in text.splitlines() if line.startswith(".")}
        assert requests <= {".TH", ".SH", ".TP", ".B", ".PP", ".nf", ".fi"}


@pytest.mark.skipif(shutil.which("man") is None, reason="the program man is not installed")
def test_man_reads_the_pages_without_a_warning(tmp_path: Path) -> None:
    for name, text in man.pages().items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    done = subprocess.run(
        ["man", "--warnings", "-E", "UTF-8", "-l", *map(str, sorted(tmp_path.iterdir()))],
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin", "MANWIDTH": "80", "LC_ALL": "C.UTF-8"},
    )
    assert done.returncode == 0 and "warning" not in done.stderr, done.stderr


@pytest.mark.slow
def test_the_tutorial_shows_what_the_commands_print(tmp_path: Path) -> None:
    """``make tutorial`` runs it anew, and the session of an agent."""
    text = tutorial.PAGE.read_text(encoding="utf-8")
    assert tutorial.same(text, tutorial.run(text, tmp_path)), "run: make tutorial"
    page = tutorial.AGENTS.read_text(encoding="utf-8")
    session = transcript.transcript(tmp_path / ".ragcli", tutorial.environment())
    assert transcript.same(page, transcript.put(page, session)), "run: make tutorial"


@pytest.mark.slow
def test_the_replies_are_those_of_the_commands(tmp_path: Path) -> None:
    """``make tutorial`` asks them anew; so do they look on terminals and in files."""
    text = tutorial.REPLIES.read_text(encoding="utf-8")
    assert tutorial.same(text, tutorial.run(text, tmp_path)), "run: make tutorial"
    shown = looks.looks(text, tmp_path)
    assert {file.name for file in looks.FOLDER.iterdir()} == shown.keys()
    for name, found in shown.items():
        written = (looks.FOLDER / name).read_text(encoding="utf-8")
        assert written == found, f"{name}; run: make tutorial"


@pytest.mark.parametrize("ours", ["found in 3.2 s", "1,024 MB", "12 ms and 4 s"])
def test_times_and_sizes_may_differ_and_nothing_else(ours: str) -> None:
    assert tutorial.same(ours, re.sub(r"\d", "7", ours))
    assert not tutorial.same(ours, f"{ours} more")
    assert not tutorial.same("5 documents", "6 documents")
