"""From a folder of many formats to the place that a citation names, as ``ask --json`` prints it."""

from __future__ import annotations

import shutil
from pathlib import Path

import ragcli
from ragcli.asking.answer_json import answer_json
from ragcli.config import Settings
from ragcli.types import Scope

DATA = Path(__file__).parent.parent / "data"
TURBINE = "What will be installed in 2020?"
BOX = (
    "From a@x Mon Jan  1 00:00:00 2024\nSubject: Pump\n\nThe pump P-9 was sold.\n\n"
    "From b@x Mon Jan  1 00:00:00 2024\nSubject: Ferry\n\nThe ferry was painted in 1987.\n"
)
# A question, the file that is asked, and the place and the first line of its best citation.
PLACES = [
    (TURBINE, "mill.pptx", "slide 3", 18),
    (TURBINE, "mill.epub", "chapter 3", 22),
    (TURBINE, "mill.ipynb", "cell 1", 18),
    (TURBINE, "mill.1", "", 58),
    ("Who is the mayor of Skive?", "towns.xlsx", "sheet towns, row", 3),
    ("What is planned for 2031?", "harbour.pdf", "page 4", 19),
    ("Who keeps the North crane?", "cranes-chromium.pdf", "page 1", 6),
    ("When was the ferry painted?", "box.mbox", "message 2", 6),
]


def test_a_citation_names_the_place_in_its_file(tmp_path: Path) -> None:
    """Slides, chapters, cells, rows, pages, messages, and lines of texts."""
    docs, store = tmp_path / "docs", tmp_path / "s"
    docs.mkdir()
    for _, name, _, _ in PLACES:
        if name != "box.mbox":
            shutil.copy(DATA / name, docs)
    (docs / "box.mbox").write_text(BOX)
    ragcli.index([docs], store, settings=Settings(workers=1))
    with ragcli.Store.open(store) as opened:
        for question, name, place, line in PLACES:
            told = answer_json(opened.ask(question, scope=Scope.of(name)))
            first = told["citations"][0]
            assert Path(first["path"]) == docs / name, name
            assert first["place"].startswith(place) and bool(first["place"]) == bool(place), name
            assert first["line_start"] == line, name
