"""Scanned pages: they are reported by number, and a command of the user may read them."""

from __future__ import annotations

import io
import shlex
import shutil
import sys
import zipfile
from pathlib import Path

import pypdfium2
import pytest

from ragcli.corpus.read import ocr, read
from ragcli.corpus.read.ocr import OcrCommand, page_picture
from ragcli.corpus.read_limits import ReadLimits
from ragcli.corpus.read_pool import ReadPool
from ragcli.indexing.changes import FinishedSource, FreshDocument, ReadFailure, stream
from ragcli.types import ParsedDocument, Skipped, Source

DATA = Path(__file__).resolve().parent.parent / "data"
# It prints the size that the head of the picture tells.
SIZE = """
import struct, sys
picture = sys.stdin.buffer.read()
print("The crane", *struct.unpack(">II", picture[16:24]), picture[:4] == b"\\x89PNG")
"""


def command(code: str) -> str:
    """A command that runs some Python."""
    return f"{shlex.quote(sys.executable)} -c {shlex.quote(code)}"


def scanned(folder: Path, *pages: int) -> Source:
    """A PDF of three pages; those whose numbers are given are pictures of the other document's."""
    made, text = pypdfium2.PdfDocument.new(), pypdfium2.PdfDocument(DATA / "harbour.pdf")
    for number in (1, 2, 3):
        if number not in pages:
            made.import_pages(text, [0])
            continue
        bitmap = text[0].render(scale=3, grayscale=True)
        page = made.new_page(595, 842)
        picture = pypdfium2.PdfImage.new(made)
        picture.set_bitmap(bitmap)
        picture.set_matrix(pypdfium2.PdfMatrix().scale(595, 842))
        page.insert_obj(picture)
        page.gen_content()
    out = io.BytesIO()
    made.save(out)
    path = folder / "a.pdf"
    path.write_bytes(out.getvalue())
    return Source("a.pdf", str(path), len(out.getvalue()), 0)


def document(source: Source, code: str, seconds: float = 60) -> ParsedDocument:
    """The only thing that a file gives with a command."""
    (found,) = read(source, OcrCommand(command(code), seconds))
    assert isinstance(found, ParsedDocument)
    return found


def test_scans_that_nothing_reads_are_reported_by_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside the text of the other pages; a file of scans alone is skipped."""
    monkeypatch.setattr(ocr, "find_spec", lambda _name: None)
    text, scans = read(scanned(tmp_path, 2, 3))
    assert isinstance(text, ParsedDocument) and "nine million" not in text.text
    why = "which may be scans (to read them: pip install 'ragcli[ocr]')"
    assert scans == Skipped("a.pdf:2", f"no text on pages 2-3: only pictures, {why}")
    (all_scans,) = read(scanned(tmp_path, 1, 2, 3))
    assert all_scans == Skipped("a.pdf", f"no text in its 3 pages, {why}")


def test_a_command_gets_a_picture_and_prints_text(tmp_path: Path) -> None:
    """At 300 dots an inch; the text stands on its page, and the hash tells that it is there."""
    found = document(scanned(tmp_path, 2), SIZE)
    first, second, third = found.text.split("\f")
    assert second.strip() == "The crane 2480 3509 True"
    assert first.strip() and third.strip()
    other = document(scanned(tmp_path, 2), "print('Another text.')")
    assert other.sha256 != found.sha256
    assert "scan" not in found.text


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("raise SystemExit(3)", "OCR: exit code 3"),
        ("import sys; sys.exit('no \\x1b[2J language')", "OCR: exit code 1: no"),
        ("print()", "in which OCR finds no text"),
        ("import time; time.sleep(60)", "OCR: no time left after 2 s (setting ocr_seconds)"),
    ],
)
def test_a_command_that_fails(tmp_path: Path, code: str, reason: str) -> None:
    """The page is reported with the reason; the text of the others is kept."""
    seconds = 2.0 if "sleep" in code else 60.0
    text, failed = read(scanned(tmp_path, 2), OcrCommand(command(code), seconds))
    assert isinstance(text, ParsedDocument) and text.text
    assert isinstance(failed, Skipped) and failed.id == "a.pdf:2"
    assert failed.reason.startswith(f"no text on page 2: only pictures, {reason}")


@pytest.mark.parametrize("words", ["/nowhere/ocr -l eng", "ocr 'unclosed"])
def test_a_command_that_does_not_start_is_tried_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    """Its pages stay scans, to be read when the command is mended."""
    tried: list[object] = []

    def picture(page: object) -> bytes:
        tried.append(page)
        return b""

    monkeypatch.setattr(ocr.GreyPicture, "png", picture)
    _, failed = read(scanned(tmp_path, 2, 3), OcrCommand(words, 60))
    assert isinstance(failed, Skipped)
    assert "pages 2-3" in failed.reason and "cannot be started" in failed.reason
    assert ocr.UNREAD in failed.reason and len(tried) <= 1


def test_pictures_that_nothing_reads() -> None:
    """They are told, but not those in an archive beside documents."""
    (found,) = read(Source("a.png", "a.png", 9, 0, b"\x89PNG....."))
    assert isinstance(found, Skipped) and found.reason.startswith("a picture, which may be a scan")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.png", b"\x89PNG.....")
        archive.writestr("b.txt", "The crane stands still.")
    content = packed.getvalue()
    (one,) = read(Source("a.zip", "a.zip", len(content), 0, content))
    assert isinstance(one, ParsedDocument) and one.id == "a.zip#b.txt"


def test_a_giant_page(tmp_path: Path) -> None:
    """The picture of a page has a largest size."""
    made = pypdfium2.PdfDocument.new()
    page = made.new_page(14400, 7200)
    picture = page_picture(page, OcrCommand("", 1))
    assert (picture.width, picture.height) == (6000, 3000)
    assert picture.png()[16:24] == (6000).to_bytes(4) + (3000).to_bytes(4)


def test_in_a_process_of_its_own(tmp_path: Path) -> None:
    """The command runs in the reader's process; its children are killed with it."""
    source = scanned(tmp_path, 1, 2, 3)
    with ReadPool(ReadLimits(ocr=command(SIZE))) as pool:
        ((_, found),) = pool.each([source])
        (read_,) = found
    assert isinstance(read_, ParsedDocument) and read_.text.count("The crane 2480") == 3


def test_scanned_pages_have_a_time_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They may take longer than what a reader may wait for."""
    monkeypatch.setattr(ReadLimits, "clock_seconds", 10)
    slow = command("import time; time.sleep(11); print('The crane')")
    with ReadPool(ReadLimits(ocr=slow)) as pool:
        ((_, found),) = pool.each([scanned(tmp_path, 1)])
        assert "The crane" in "".join(one.text for one in found if isinstance(one, ParsedDocument))


def test_failures_of_pages_end_with_their_cause(tmp_path: Path) -> None:
    """The stream tells which parts failed, so that what is not told any more is forgotten."""
    source = scanned(tmp_path, 2)
    fresh, failure, end = stream([source], {})
    assert isinstance(fresh, FreshDocument) and isinstance(failure, ReadFailure)
    assert isinstance(end, FinishedSource) and end.failed == ("a.pdf:2",)
    fresh, end = stream([source], {}, ReadLimits(ocr=command(SIZE)))
    assert isinstance(fresh, FreshDocument)
    assert isinstance(end, FinishedSource) and end.failed == ()


@pytest.mark.skipif(not shutil.which("tesseract"), reason="needs tesseract")
def test_tesseract_reads_a_scan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The words of the page stand in the picture of it."""
    monkeypatch.setenv("OMP_THREAD_LIMIT", "1")  # its threads wait for each other on a busy machine
    page = pypdfium2.PdfDocument(scanned(tmp_path, 1).path)[0]
    ocr_ = OcrCommand("tesseract - -", 300)
    said = " ".join(line.text for line in ocr_.lines(page_picture(page, ocr_)))
    assert "harbour" in said.casefold()
