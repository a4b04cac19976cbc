"""Scanned pages read with the extra ``ocr``: what is seen, where, how surely, and within limits."""

from __future__ import annotations

import io
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pypdfium2
import pytest

from ragcli.config import Settings
from ragcli.corpus.read import pictures, read
from ragcli.corpus.read.built_in_ocr import BuiltInOcr
from ragcli.corpus.read.ocr import BUILT_IN, is_installed
from ragcli.corpus.read_limits import ReadLimits
from ragcli.corpus.read_pool import ReadPool
from ragcli.errors import ReadError
from ragcli.indexing.index import index
from ragcli.indexing.request import IndexRequest
from ragcli.store.digest import digest
from ragcli.store.snapshot import open_snapshot
from ragcli.types import ParsedDocument, Skipped, Source

pytestmark = pytest.mark.skipif(not is_installed(), reason="needs the extra ocr")

LINES = ("The harbour of Ostrava has three cranes.", "Keeper Havel lived there with his dog.")


def drawn(*lines: str, turn: int = 0) -> Any:
    """A picture of some lines of print, turned by degrees."""
    from PIL import Image, ImageDraw, ImageFont

    image = Image.new("L", (640, 64 + 48 * len(lines)), 255)
    pen, font = ImageDraw.Draw(image), ImageFont.load_default(26)
    for n, line in enumerate(lines):
        pen.text((40, 32 + 48 * n), line, font=font, fill=0)
    return image.rotate(turn, expand=True, fillcolor=255)


def saved(name: str, image: Any, **how: Any) -> Source:
    """A picture as a file in memory."""
    out = io.BytesIO()
    image.save(out, {"png": "PNG", "jpg": "JPEG"}.get(name[-3:], "TIFF"), **how)
    content = out.getvalue()
    return Source(name, name, len(content), 0, content)


def document(source: Source) -> ParsedDocument:
    """The only thing that a file gives."""
    (found,) = read(source, BuiltInOcr(600))
    assert isinstance(found, ParsedDocument)
    return found


@pytest.mark.parametrize("name", ["a.png", "a.jpg", "a.tiff"])
def test_a_picture_is_read_line_by_line(name: str) -> None:
    """Each line has its place in the picture and says how sure it is."""
    found = document(saved(name, drawn(*LINES)))
    assert found.text.split("\n") == list(LINES)
    first, second = found.scanned
    assert [found.text[start:end] for start, end, *_ in found.scanned] == [
        line.rstrip(".") for line in LINES
    ]
    for _, _, confidence, left, _, right, _ in (first, second):
        assert confidence > 900 and 30 < left < 90 and 500 < right < 1000
    assert first[6] <= second[4] + 20 and 150 < first[4] < 300 and 600 < second[6] < 900


def test_pages_of_a_tiff_that_lie_in_any_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a side, upside down, a little askew; boxes are those of the page as it lies."""
    pages = [drawn(*LINES, turn=turn) for turn in (90, 180, -3)]
    found = document(saved("a.tif", pages[0], save_all=True, append_images=pages[1:]))
    assert [page.strip().split("\n") for page in found.text.split("\f")] == [list(LINES)] * 3
    _, _, _, left, top, right, bottom = found.scanned[0]
    assert bottom - top > 3 * (right - left)  # the first line runs up the page
    assert found.scanned[2][4] > 500  # the first line of the second page stands at its foot


def test_scanned_pages_of_a_pdf(tmp_path: Path) -> None:
    """In the process with limits, beside a page of text; the box is one of the page."""
    made = pypdfium2.PdfDocument.new()
    picture = pypdfium2.PdfImage.new(made)
    picture.set_bitmap(pypdfium2.PdfBitmap.from_pil(drawn(*LINES)))
    picture.set_matrix(pypdfium2.PdfMatrix().scale(640, 160))
    page = made.new_page(640, 320)  # the picture fills its lower half
    page.insert_obj(picture)
    page.gen_content()
    path = tmp_path / "a.pdf"
    made.save(path)
    source = Source("a.pdf", str(path), path.stat().st_size, 0)
    with ReadPool(ReadLimits(ocr=BUILT_IN)) as pool:
        ((_, found),) = pool.each([source])
        (seen,) = found
    assert isinstance(seen, ParsedDocument) and seen.text.split("\n") == list(LINES)
    assert all(line[4] > 500 for line in seen.scanned)


def test_pictures_in_documents_are_read_on_request(tmp_path: Path) -> None:
    """As documents of their own; otherwise nothing is said of them."""
    import docx

    made, out = docx.Document(), io.BytesIO()
    made.add_paragraph("A plan follows.")
    image = io.BytesIO()
    drawn(LINES[0]).save(image, "PNG")
    made.add_picture(image)
    made.save(out)
    source = Source("a.docx", "a.docx", len(out.getvalue()), 0, out.getvalue())
    (text,) = read(source, BuiltInOcr(600))
    assert isinstance(text, ParsedDocument)
    both = list(read(source, BuiltInOcr(600, inside=True)))
    assert [one.id for one in both] == ["a.docx", "a.docx#word/media/image1.png"]
    assert isinstance(both[1], ParsedDocument) and both[1].text == LINES[0]


def test_no_connection_is_tried() -> None:
    """The models are those of the package, whatever the network would say."""
    code = """
import sys
def refused(event, _):
    if event.startswith("socket."):
        raise OSError("no socket is to be had")
sys.addaudithook(refused)
from ragcli.corpus.read import read
from ragcli.corpus.read.built_in_ocr import BuiltInOcr
from ragcli.types import Source
content = sys.stdin.buffer.read()
(found,) = read(Source("a.png", "a.png", 1, 0, content), BuiltInOcr(600))
print(found.text)
"""
    content = saved("a.png", drawn(*LINES)).content
    done = subprocess.run([sys.executable, "-c", code], input=content, capture_output=True)
    assert done.stdout.decode().split("\n")[:2] == list(LINES), done.stderr.decode()


def test_what_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Damage, size and time are told; a picture without words is no document."""
    good = saved("a.png", drawn(*LINES))
    assert good.content is not None
    with pytest.raises(ReadError, match=r"damaged or not a picture"):
        list(read(replace(good, content=good.content[:200]), BuiltInOcr(600)))
    with pytest.raises(ReadError, match="damaged"):  # a format that the suffix does not promise
        list(read(replace(good, content=b"%!PS-Adobe-3.0 EPSF-3.0\n"), BuiltInOcr(600)))
    (empty,) = read(saved("a.png", drawn()), BuiltInOcr(600))
    assert empty == Skipped("a.png", "a picture, in which OCR finds no text")
    (late,) = read(good, BuiltInOcr(0))
    assert isinstance(late, Skipped) and late.reason.endswith("after 0 s (setting ocr_seconds)")
    monkeypatch.setattr(pictures, "_MOST_PIXELS", 1000)
    with pytest.raises(ReadError, match=r"640 x 160 pixels; at most"):
        list(read(good, BuiltInOcr(600)))


def test_an_update_ends_where_a_fresh_index_would(tmp_path: Path) -> None:
    """What was left when nothing read pictures, or for want of time, is read later."""
    docs = tmp_path / "docs"
    docs.mkdir()
    drawn(*LINES).save(docs / "plan.png")
    (docs / "a.txt").write_text("The pump was mended in May.", encoding="utf-8")
    sees = Settings(workers=1)
    stores = tmp_path / "updated", tmp_path / "fresh"
    for settings in (replace(sees, ocr="none"), replace(sees, ocr_seconds=1), sees, sees):
        index(IndexRequest(stores[0], (docs,)), settings)
    index(IndexRequest(stores[1], (docs,)), sees)
    told = []
    for store in stores:
        with open_snapshot(store) as snapshot:
            told.append(digest(snapshot))
            seen = snapshot.documents.scan("plan.png", 0, len(LINES[0]))
            assert seen is not None and seen.confidence > 0.9 and 150 < seen.box[1] < 300
            assert snapshot.documents.scan("a.txt", 0, 10) is None
    assert told[0] == told[1]
