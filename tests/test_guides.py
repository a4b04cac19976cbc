"""The pages that lead through the code name files and functions that exist."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TOURS = ["docs/follow-a-document.md", "docs/follow-a-question.md"]
GUIDES = ["ARCHITECTURE.md", "docs/glossary.md", *TOURS]
# [`name`](file.py), or `name` (`file.py`).
NAMED = re.compile(r"\[`([\w.]+)`\]\(([\w./]+\.py)\)|`([\w.]+)`\s+\(`([\w/]+\.py)`\)")
FILE = re.compile(r"`([\w./-]+(?:\.(?:py|sql|html|json)|/))`")
MADE = ".ragcli/"


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def places(page: str) -> list[tuple[str, Path]]:
    """The names of a page and the files in which they are said to be defined."""
    found = []
    for linked, link, name, path in NAMED.findall(text_of(page)):
        file = (ROOT / page).parent / link if link else ROOT / "ragcli" / path
        found.append((linked or name, file.resolve()))
    return found


def defined(file: Path) -> set[str]:
    """Functions and classes of a file, and methods with the name of their class before them."""
    top = ast.parse(file.read_text(encoding="utf-8")).body
    found = {node.name for node in top if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    for node in top:
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{m.name}" for m in node.body if isinstance(m, ast.FunctionDef)}
    return found


@pytest.mark.parametrize("page", GUIDES)
def test_every_name_is_defined_where_a_guide_says(page: str) -> None:
    wrong = [(name, str(file)) for name, file in places(page) if name not in defined(file)]
    assert not wrong


@pytest.mark.parametrize("page", GUIDES)
def test_every_file_of_a_guide_exists(page: str) -> None:
    """Paths begin at the project or in ``ragcli/``; ``.ragcli/`` is what a run makes."""
    named = [path for path in FILE.findall(text_of(page)) if not path.startswith(MADE)]
    assert not [p for p in named if not any((ROOT / a / p).exists() for a in ("", "ragcli"))]


def test_links_of_the_architecture_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", text_of("ARCHITECTURE.md"))
    assert links and not [link for link in links if not (ROOT / link).exists()]


@pytest.mark.parametrize("page", TOURS)
def test_a_tour_goes_through_at_most_twelve_files(page: str) -> None:
    found = {file for _, file in places(page)}
    assert 8 <= len(found) <= 12


def test_every_record_of_the_glossary_exists() -> None:
    """`types.Name` is exported by ``ragcli.types``."""
    import ragcli.types

    names = re.findall(r"`types\.(\w+)`", text_of("docs/glossary.md"))
    assert names and not [name for name in names if name not in ragcli.types.__all__]
