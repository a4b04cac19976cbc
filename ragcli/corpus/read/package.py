"""Opens packages: zip archives with parts of XML, as office programs and e-books use them."""

from __future__ import annotations

import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ragcli.corpus.read import archive
from ragcli.corpus.read.decode import bytes_of
from ragcli.corpus.read.file_text import Unreadable, damage
from ragcli.corpus.read.pictures import is_picture
from ragcli.types import Source

_LOCKED = b"\xd0\xcf\x11\xe0"  # an OLE container: a password, or a format before 2007
_THUMBNAILS = ("docProps/", "Thumbnails/")
DAMAGE = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, LookupError,
    OSError, RuntimeError, SyntaxError, ValueError,
)  # fmt: skip
"""What damaged packages and XML raise; lxml's syntax errors are SyntaxErrors."""


class Package:
    """The parts of a package by name; together they may have as many bytes as one file."""

    def __init__(self, raw: bytes) -> None:
        archive.check_zip(raw)
        self._zip = zipfile.ZipFile(io.BytesIO(raw))
        self.names = frozenset(self._zip.namelist())
        self._left = archive.MOST_OF_ONE

    def part(self, name: str) -> bytes:
        """Return the bytes of a part; raises KeyError if there is none, ValueError if too large."""
        with self._zip.open(name) as file:
            data = file.read(self._left + 1)
        self._left -= len(data)
        if self._left < 0:
            raise ValueError(f"it unpacks to more than {archive.MOST_OF_ONE >> 20} MB")
        return data

    def xml(self, name: str) -> Any:
        """Return the root element of a part."""
        return xml_root(self.part(name))


def xml_root(data: bytes) -> Any:
    """Return the root element; no entity is expanded and nothing outside is opened."""
    from lxml import etree  # takes 20 ms, and most folders contain no office documents

    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True,
        remove_pis=True,
    )  # fmt: skip
    return etree.fromstring(data, parser)


def local(element: Any) -> str:
    """Return the name of an element without its namespace; "" for an entity that was left."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def title_in(package: Package, part: str) -> str:
    """Return the title in a part of properties; "" without one."""
    if part not in package.names:
        return ""
    found = (e for e in package.xml(part).iter() if local(e) == "title")
    return next((str(e.text) for e in found if e.text), "")


def attribute(element: Any, name: str, default: str = "") -> str:
    """Return an attribute by its name without a namespace."""
    for key, value in element.attrib.items():
        if key.rpartition("}")[2] == name:
            return str(value)
    return default


@contextmanager
def opening(raw: bytes, what: str, raised: tuple[type[Exception], ...] = DAMAGE) -> Iterator[None]:
    """Turn what a damaged file raises into Unreadable."""
    if raw.startswith(_LOCKED):
        raise Unreadable("needs a password, or is an older format with a new suffix")
    with damage(what, raised):
        yield


def pictures_of(source: Source) -> Iterator[Source]:
    """Yield the pictures of a package as files, in the order of their names; not its thumbnail."""
    package = Package(bytes_of(source))
    for name in sorted(filter(is_picture, package.names)):
        if not name.startswith(_THUMBNAILS):
            content = package.part(name)
            yield Source(f"{source.id}#{name}", name, len(content), source.mtime_ns, content)
