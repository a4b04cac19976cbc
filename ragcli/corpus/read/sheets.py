"""Reads workbooks (.xlsx, .xlsm, .xlsb, .xls, .ods): each sheet is a document, a line is a row."""

from __future__ import annotations

import datetime as dt
import hashlib
import io
import logging
import re
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ragcli.corpus.read.decode import EMPTY, bytes_of
from ragcli.corpus.read.line_text import LineText
from ragcli.corpus.read.package import DAMAGE, Package
from ragcli.corpus.read.rows import write_rows
from ragcli.errors import ReadError
from ragcli.text.terminal import harmless_line
from ragcli.types import ParsedDocument, Skipped, Source

_log = logging.getLogger(__name__)

# "Sheet1" in the languages of common programs says nothing about what is in it.
_UNNAMED = re.compile(r"(?:sheet|tabelle|feuil|feuille|hoja|foglio|blad|ark|planilha|工作表) ?\d+")
_MIDNIGHT = dt.time()

_CONTAINER = b"\xd0\xcf\x11\xe0"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
"""The name of the stream with the workbook, since Excel 2007 [MS-OFFCRYPTO]."""
_FILE_PASS = re.compile(rb"\x09\x08\x10\x00.{16}\x2f\x00", re.DOTALL)
"""Before: the record behind the first one of the workbook [MS-XLS]."""


_CELL = re.compile(
    rb"(?P<begin><c\b[^<>]*>)(?P<between>\s*(?:<f\b[^<>]*>(?:[^<]*</f>)?\s*)?<v\b[^<>]*>)"
    rb"(?P<value>[^<]*)</v>"
)
_KIND = re.compile(rb"""\st\s*=\s*["'](?P<kind>\w*)["']""")
_NUMBER = re.compile(rb"[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d+)?")
_VALUES: dict[bytes, Callable[[bytes], object]] = {
    b"n": _NUMBER.fullmatch, b"s": bytes.isdigit, b"b": (b"0", b"1").__contains__,
    b"str": lambda _: True,
}  # fmt: skip
"""Whether a value is one of a cell of each type; other types are not kept."""


def _is_sheet(member: str) -> bool:
    """Whether a member of the package is a sheet by its name."""
    folders, _, name = member.lower().rpartition("/")
    return folders.rpartition("/")[2] == "worksheets" and len(name) > 4 and name.endswith(".xml")


def read(source: Source) -> Iterator[ParsedDocument | Skipped]:
    """Yield a document per sheet with data; raises ReadError if the file cannot be read."""
    raw = bytes_of(source)
    if not raw:
        yield Skipped(source.id, EMPTY)
        return
    if _is_encrypted(raw):
        raise ReadError(f"{source.id} needs a password")
    with _readable(source.id, "damaged or not a workbook"):
        import python_calamine

        book = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(raw))
        sheets = python_calamine.SheetTypeEnum.WorkSheet  # and not charts
        names = [found.name for found in book.sheets_metadata if found.typ == sheets]
    found = False
    for name in names:
        made = _sheet(source, book, name)
        if isinstance(made, Skipped) and (mended := _mended(raw)):
            made = _sheet(source, mended, name)
        if isinstance(made, Skipped) or made.text:
            found = True
            yield made
    if not found:
        yield Skipped(source.id, "no data in it")


def _is_encrypted(raw: bytes) -> bool:
    """Whether a workbook needs a password; the library says only that it knows no such format."""
    return raw.startswith(_CONTAINER) and (_ENCRYPTED in raw or _FILE_PASS.search(raw) is not None)


def _mended(raw: bytes) -> Any:
    """Return a workbook in which cells that say they are numbers are, None if it cannot be made.

    One cell that is no number would lose its whole sheet. Blanks around numbers go, and what is
    still none is text.
    """
    import python_calamine

    made = io.BytesIO()
    try:
        package = Package(raw)
        with zipfile.ZipFile(made, "w") as archive:
            for name in sorted(package.names):
                part = package.part(name)
                archive.writestr(name, _CELL.sub(_mended_cell, part) if _is_sheet(name) else part)
        return python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(made.getvalue()))
    except (*DAMAGE, ReadError, python_calamine.CalamineError) as error:
        _log.debug("the workbook cannot be mended: %s", error)
        return None


def _mended_cell(cell: re.Match[bytes]) -> bytes:
    value = cell["value"].strip()
    kind = _KIND.search(cell["begin"])
    given = kind["kind"] if kind else b"n"
    is_right = given in _VALUES and _VALUES[given](value)
    begin = cell["begin"] if is_right else b'<c t="str"' + _KIND.sub(b"", cell["begin"])[2:]
    return begin + cell["between"] + value + b"</v>"


def _sheet(source: Source, book: Any, name: str) -> ParsedDocument | Skipped:
    """Return the document of a sheet; its text is empty if there are no data."""
    id_ = f"{source.id}#{harmless_line(name)}"
    text = LineText()
    try:
        with _readable(id_, "damaged"):
            above = write_rows(text, _rows(book.get_sheet_by_name(name)))
    except ReadError as error:
        return Skipped(id_, error.message)
    title = above or ("" if _UNNAMED.fullmatch(name.casefold()) else name)
    made = text.file_text(title)
    return made.document(id_, hashlib.sha256(f"{title}\0{made.text}".encode()).hexdigest())


@contextmanager
def _readable(id_: str, otherwise: str) -> Iterator[None]:
    """Turn what the library raises into a ReadError."""
    import python_calamine

    try:
        yield
    except python_calamine.PasswordError as error:
        raise ReadError(f"{id_} needs a password") from error
    except (python_calamine.CalamineError, OSError, ValueError) as error:
        raise ReadError(f"{id_} is {otherwise}: {error}") from error
    except BaseException as error:
        # The library is written in Rust, whose panics are not Exceptions.
        if type(error).__name__ != "PanicException":
            raise
        raise ReadError(f"{id_} is {otherwise}: {error}") from error


def _rows(sheet: Any) -> Iterator[tuple[int, Sequence[str]]]:
    """Yield (number of the row in the sheet, cells) for each row with data."""
    first = (sheet.start or (0, 0))[0] + 1
    for number, row in enumerate(sheet.iter_rows(), start=first):
        cells = [_shown(value) for value in row]
        if any(cells):
            yield number, cells


def _shown(value: object) -> str:
    """Return a cell as a person would write it: whole numbers without ".0", dates in ISO 8601."""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else f"{value:.12g}"
    if isinstance(value, dt.datetime) and value.time() == _MIDNIGHT:
        return value.date().isoformat()
    if isinstance(value, dt.datetime):
        return value.isoformat(sep=" ", timespec="minutes")
    return str(value)
