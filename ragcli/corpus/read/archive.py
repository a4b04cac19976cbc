"""Limits of archives and packages, and the check before anything is unpacked.

A small file may unpack to more than fits.
"""

from __future__ import annotations

import io
import zipfile

from ragcli.errors import ReadError

MOST_UNPACKED = 512 << 20
"""Bytes that the members of one archive may have together."""
MOST_OF_ONE = 256 << 20
"""Bytes that one member may have, or a file that is compressed alone."""
MOST_MEMBERS = 20_000
MOST_RATIO = 250
"""Bytes that a byte may unpack to on average. The XML of large tables reaches about 100."""
_SMALL = 16 << 20
"""Archives that unpack to less are never too dense: an empty template may be."""


def most_of(raw: bytes) -> int:
    """Return how many bytes a file that is compressed alone may unpack to."""
    return min(MOST_OF_ONE, max(_SMALL, MOST_RATIO * len(raw)))


def check_zip(raw: bytes) -> None:
    """Raise ReadError if a zip archive declares too much; zipfile.BadZipFile if it is damaged.

    ``zipfile`` never unpacks more of a member than the archive declares, so the sums hold.
    """
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        members = archive.infolist()
    unpacked = sum(member.file_size for member in members)
    if len(members) > MOST_MEMBERS:
        raise ReadError(f"it has {len(members):,} members; at most {MOST_MEMBERS:,} are read")
    if unpacked > MOST_UNPACKED:
        raise ReadError(f"it unpacks to {unpacked:,} bytes; at most {MOST_UNPACKED:,} are read")
    if unpacked > max(_SMALL, MOST_RATIO * len(raw)):
        raise ReadError(f"it unpacks to {unpacked / len(raw):,.0f} times its size")
