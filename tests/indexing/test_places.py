"""From a folder of many formats to the place that a citation names, as ``ask --json`` prints it."""

from __future__ import annotations

import os
import shutil
import zipfile
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
    ("Who keeps the South crane?", "cranes-chromium.pdf", "page 1", 7),
    ("When was the ferry painted?", "box.mbox", "message 2", 9),
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


PAGE = """<html><body>
<h1>Harbour</h1>

<p>The north quay
was built by the brothers Holm
of granite from the island.</p>
<p>It was opened
in the spring
of 1887.</p>
</body></html>
"""
MANUAL = """.TH QUAY 1
.SH NAME
quay loads a ship
.SH OPTIONS
.TP
.B \\-n
Load the ship
at night
.I without
any lamp.
.TP
.B \\-w
Wait until the tide
is high.
"""
HIGH_TIDE = "Does the quay wait until the tide is high?"


def test_lines_of_filled_text(tmp_path: Path) -> None:
    """A paragraph of a page or a manual stands on the lines that its file has for it."""
    docs, store = tmp_path / "docs", tmp_path / "s"
    docs.mkdir()
    (docs / "a.html").write_text(PAGE)
    (docs / "quay.1").write_text(MANUAL)
    ragcli.index([docs], store, settings=Settings(workers=1))
    with ragcli.Store.open(store) as opened:
        for name, question in (
            ("a.html", "When was the quay opened?"),
            ("a.html", "Who built the north quay?"),
            ("quay.1", HIGH_TIDE),
        ):
            lines = (docs / name).read_text().split("\n")
            for quoted in opened.ask(question, scope=Scope.of(name)).reply.citations:
                words = quoted.quote.split()
                first, last = lines[quoted.line_start - 1], lines[quoted.line_end - 1]
                assert " ".join(words[:2]) in first and words[-1] in last, quoted
        (hit,) = opened.search("granite island", scope=Scope.of("a.html"))
        assert (hit.line_start, hit.line_end) == (2, 9)


def test_lines_stay_true_when_a_file_is_read_again(tmp_path: Path) -> None:
    """Of a page in an archive that was only touched; of a message that moved."""
    docs, store = tmp_path / "docs", tmp_path / "s"
    docs.mkdir()
    (docs / "box.mbox").write_text(BOX)
    with zipfile.ZipFile(docs / "a.zip", "w") as archive:
        archive.writestr("a.html", PAGE)
    ragcli.index([docs], store, settings=Settings(workers=1))
    (docs / "box.mbox").write_text(BOX.replace("Subject: Pump\n", "Subject: Pump\nTo: c@x\n"))
    os.utime(docs / "a.zip", (1, 1))
    ragcli.update(store, settings=Settings(workers=1))
    with ragcli.Store.open(store) as opened:
        lines = {hit.doc: (hit.line_start, hit.line_end) for hit in opened.search("quay ferry")}
    assert (lines["a.zip#a.html"], lines["box.mbox#2"]) == ((2, 9), (8, 10))
