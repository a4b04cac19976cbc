"""Replaces characters that XML 1.0 cannot represent, not even escaped."""

from __future__ import annotations

import re

_UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml_writable(text: str, instead: str = "") -> str:
    """Replace each character that XML cannot represent.

    >>> xml_writable("a\\x01b", "?")
    'a?b'
    """
    return _UNWRITABLE.sub(instead, text)
