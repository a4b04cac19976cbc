"""Document ids: splitting an id into the path of a file and the id of a record in it.

The id of a file is its path below the indexed root. The id of a JSON Lines record is the file's id,
``#``, and the record's own id, which may contain any character. The path of the file ends at the
first ``.jsonl#``, in upper or lower case, and nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_RECORD = re.compile(r"\.jsonl#", re.IGNORECASE | re.ASCII)


def path_of(doc: str) -> str:
    """Return the path of the file that contains a document.

    >>> path_of("notes/faq.jsonl#q7"), path_of("notes/R.JSONL#a#b"), path_of("notes/a#b.md")
    ('notes/faq.jsonl', 'notes/R.JSONL', 'notes/a#b.md')
    """
    found = _RECORD.search(doc)
    return doc[: found.end() - 1] if found else doc


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
