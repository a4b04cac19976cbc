"""Reads archives (.zip, .tar, .gz, .bz2, .xz): their members, each a document of its own.

A compressed single file is read like the file itself. Nothing is written to the disk.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path, PurePosixPath
from typing import IO, cast

from ragcli.corpus.read import archive as limits
from ragcli.corpus.read.decode import bytes_of
from ragcli.corpus.read.file_text import damage
from ragcli.corpus.read.package import DAMAGE
from ragcli.text.terminal import harmless_line
from ragcli.types import Skipped, Source
from ragcli.types.document_ids import file_id

_DAMAGE = (*DAMAGE, tarfile.TarError)
_STREAMS: dict[str, Callable[[io.BytesIO], IO[bytes]]] = {
    ".gz": lambda raw: cast(IO[bytes], gzip.GzipFile(fileobj=raw)),
    ".bz2": lambda raw: bz2.BZ2File(raw),
    ".xz": lambda raw: lzma.LZMAFile(raw),  # noqa: SIM115 - the caller closes it
}
_IS_UTF8 = 0x800
_TAR = {".tgz": ".tar.gz", ".tbz2": ".tar.bz2", ".txz": ".tar.xz"}


def read(source: Source) -> Iterator[Skipped | Source]:
    """Yield the members as sources to be read; raises Unreadable if the archive is damaged."""
    raw = bytes_of(source)
    name = PurePosixPath(Path(source.path).name)
    suffix = name.suffix.lower()
    name = name.with_suffix(_TAR.get(suffix, suffix))
    with damage("an archive", _DAMAGE):
        if suffix == ".zip":
            yield from _members(source, _zipped(raw))
        elif name.suffix.lower() == ".tar":
            yield from _members(source, _tarred(raw))
        elif PurePosixPath(name.stem).suffix.lower() == ".tar":
            yield from _members(source, _tarred(_unpacked(raw, name.suffix.lower())))
        else:
            content = _unpacked(raw, suffix)
            yield Source(source.id, name.stem, len(content), source.mtime_ns, content)


def _unpacked(raw: bytes, suffix: str) -> bytes:
    with closing(_STREAMS[suffix](io.BytesIO(raw))) as stream:
        return _limited(stream, limits.most_of(raw))


def _limited(stream: IO[bytes], most: int) -> bytes:
    content = stream.read(most + 1)
    if len(content) > most:
        raise ValueError(f"it unpacks to more than {most:,} bytes")
    return content


def _zipped(raw: bytes) -> Iterator[tuple[str, Callable[[int], bytes]]]:
    limits.check_zip(raw)
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        for info in archive.infolist():

            def content(most: int, info: zipfile.ZipInfo = info) -> bytes:
                if info.flag_bits & 1:
                    raise ValueError("it needs a password")
                with archive.open(info) as stream:
                    return _limited(stream, most)

            if not info.is_dir():
                yield _name(info), content


def _name(info: zipfile.ZipInfo) -> str:
    """Return a member's name; Unix programs write UTF-8 without the mark that says so."""
    if not info.flag_bits & _IS_UTF8 and not info.filename.isascii():
        try:
            return info.filename.encode("cp437").decode("utf-8")
        except UnicodeError:
            pass  # a name in the encoding that the format has had from the beginning
    return info.filename


def _tarred(raw: bytes) -> Iterator[tuple[str, Callable[[int], bytes]]]:
    with tarfile.open(fileobj=io.BytesIO(raw), mode="r:") as archive:
        for info in archive:

            def content(most: int, info: tarfile.TarInfo = info) -> bytes:
                stream = archive.extractfile(info)
                return _limited(stream, most) if stream is not None else b""

            if info.isreg():
                yield info.name, content


def _members(
    source: Source, members: Iterator[tuple[str, Callable[[int], bytes]]]
) -> Iterator[Skipped | Source]:
    """Yield each member once, without hidden ones, until a limit is reached."""
    left = limits.MOST_UNPACKED
    taken: set[str] = set()
    for number, (given, content) in enumerate(members):
        if number >= limits.MOST_MEMBERS or left <= 0:
            limit = f"{limits.MOST_MEMBERS:,} files or {limits.MOST_UNPACKED >> 20} MB"
            yield Skipped(f"{source.id}#...", f"the archive holds more than {limit}; the rest")
            return
        parts = (part for part in given.split("/") if part not in ("", ".", ".."))
        name = harmless_line("/".join(parts))
        if not name or name in taken or _is_hidden(name):
            continue
        taken.add(name)
        id_ = f"{source.id}#{file_id(name)}"
        try:
            found = content(min(left, limits.MOST_OF_ONE))
        except _DAMAGE as error:
            yield Skipped(id_, f"cannot be unpacked: {' '.join(str(error).split())}")
            continue
        left -= len(found)
        yield Source(id_, name, len(found), source.mtime_ns, found)


def _is_hidden(name: str) -> bool:
    return name.startswith((".", "__MACOSX/", "~$")) or "/." in name or "/~$" in name
