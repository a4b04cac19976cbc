"""Document ids: splitting an id into the path of a file and the id of a document in it.

The id of a file is its path below the indexed root. The id of a document inside a file (a JSON
Lines record, a sheet, a message, a member of an archive) is the file's id, ``#``, and its own id,
which may contain any character. The path of the file ends at the first ``#`` after one of
``CONTAINERS``, in upper or lower case, and nowhere else.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

COMPRESSED = ("gz", "bz2", "xz")
SHEETS = ("xlsx", "xlsm", "xlsb", "xls", "ods")
_WITH_PICTURES = ("pdf", "docx", "pptx", "pptm", "ppsx", "odt", "ott", "odp", "otp", "epub")
_MAIL = ("eml", "mbox", "msg")
CONTAINERS = ("jsonl", *SHEETS, *_MAIL, "zip", "tar", "tgz", *COMPRESSED, *_WITH_PICTURES)
"""Suffixes of files that may contain several documents."""

_RECORD = re.compile(rf"\.(?:{'|'.join(CONTAINERS)})#", re.IGNORECASE | re.ASCII)


def path_of(doc: str) -> str:
    """Return the path of the file that contains a document.

    >>> path_of("notes/faq.jsonl#q7"), path_of("notes/R.JSONL#a#b"), path_of("notes/a#b.md")
    ('notes/faq.jsonl', 'notes/R.JSONL', 'notes/a#b.md')
    """
    found = _RECORD.search(doc)
    return doc[: found.end() - 1] if found else doc


def file_id(path: str) -> str:
    """Return the id of a file: its path, with "#" escaped where a document's id would begin.

    A file called ``a.jsonl#7`` would otherwise share its id with the record 7 of ``a.jsonl``.

    >>> file_id("a.jsonl#7"), file_id("a#7")
    ('a.jsonl\\\\x237', 'a#7')
    """
    if "#" not in path:
        return path
    return _RECORD.sub(lambda mark: f"{mark[0][:-1]}\\x23", path)


def parts_of(doc: str) -> list[str]:
    """Split an id into its file, the files inside files, and the innermost document.

    >>> parts_of("a/x.zip#m.eml#s.xlsx#Sales"), parts_of("a#b.md"), parts_of("a.jsonl#b.zip#c")
    (['a/x.zip', 'm.eml', 's.xlsx', 'Sales'], ['a#b.md'], ['a.jsonl', 'b.zip#c'])
    """
    parts = []
    while found := _RECORD.search(doc):
        parts.append(doc[: found.end() - 1])
        doc = doc[found.end() :]
        if found[0].lower() == ".jsonl#":
            break
    return [*parts, doc]


def suffixes_of(doc: str) -> set[str]:
    """Return the suffixes, in lower case, of a document's file and of the files inside it.

    The second suffix of a compressed file counts, too. Names of sheets and records have none.

    >>> sorted(suffixes_of("a/x.zip#m.eml#s.XLSX#v1.2")), sorted(suffixes_of("doc/sh.1.gz"))
    (['eml', 'xlsx', 'zip'], ['1', 'gz'])
    """
    parts = parts_of(doc)
    if len(parts) > 1 and _suffix(parts[-2]) in ("jsonl", *SHEETS):
        parts.pop()
    found = set()
    for part in parts:
        suffix = _suffix(part)
        found.add(suffix)
        if suffix in COMPRESSED:
            found.add(_suffix(part[: -len(suffix) - 1]))
    return found - {""}


def _suffix(path: str) -> str:
    return posixpath.splitext(path)[1][1:].lower()


def folder_of(doc: str) -> str:
    """Return the folder that contains a document; for a record, its file. "" is the root.

    >>> folder_of("a/b/c.md"), folder_of("a/F.jsonl#7#x/8"), folder_of("c.md")
    ('a/b', 'a/F.jsonl', '')
    """
    path = path_of(doc)
    return path if path != doc else doc.rpartition("/")[0]


def upward(folder: str) -> Iterator[str]:
    """Yield a folder, its parent, and so on up to the root, which is "".

    >>> list(upward("a/b"))
    ['a/b', 'a', '']
    """
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]
    yield ""
