"""Document ids: where the path of a file ends and the id of a record in it begins.

The id of a file is its path below the indexed root. The id of a JSON Lines record is the file's id,
``#``, and the record's own id, which may hold any character. The file ends at the first ``.jsonl#``
in any case, and nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_RECORD = re.compile(r"\.jsonl#", re.IGNORECASE | re.ASCII)


def path_of(doc: str) -> str:
    """Return the file that a document id names.

    >>> path_of("notes/faq.jsonl#q7"), path_of("notes/R.JSONL#a#b"), path_of("notes/a#b.md")
    ('notes/faq.jsonl', 'notes/R.JSONL', 'notes/a#b.md')
    """
    found = _RECORD.search(doc)
    return doc[: found.end() - 1] if found else doc


def folder_of(doc: str) -> str:
    """Return the folder that holds a document: for a record, its file; "" is the root.

    >>> folder_of("a/b/c.md"), folder_of("a/F.jsonl#7#x/8"), folder_of("c.md")
    ('a/b', 'a/F.jsonl', '')
    """
    path = path_of(doc)
    return path if path != doc else doc.rpartition("/")[0]


def upward(folder: str) -> Iterator[str]:
    """A folder, its parent, and so on to the root, which is "".

    >>> list(upward("a/b"))
    ['a/b', 'a', '']
    """
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]
    yield ""
