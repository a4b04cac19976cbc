"""Texts that may be shown on a terminal or written to a log: no character of them can steer it.

A document's text, a file's name, a message of a library and an argument are all printed. Control
characters move the cursor, change the title or forge lines; bidirectional overrides reorder what is
read; characters without width hide text. Marks of direction and joiners, which Arabic, Hebrew,
Indian scripts and emoji need, are kept.
"""

from __future__ import annotations

import re

_SHOWN_AS = "\ufffd"
# Line ends and tabs are text. U+2028 and U+2029 end lines for some programs.
_STEERING = (
    "\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f"
    "\\u061c\\u200b\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb"
    "\\ud800-\\udfff\\U000e0000-\\U000e0fff"
)
_UNSAFE = re.compile(f"[{_STEERING}]")
_UNSAFE_OR_LINE_END = re.compile(f"[\\t\\n{_STEERING}]")


def harmless(text: str) -> str:
    """Return a text of the same length in which each steering character is U+FFFD.

    >>> harmless("a\\x1b[2J\\u202eb\\n")
    'a\ufffd[2J\ufffdb\\n'
    """
    return text if text.isascii() and text.isprintable() else _UNSAFE.sub(_SHOWN_AS, text)


def harmless_line(text: str) -> str:
    """Return a text on one line, in which each steering character and line end is escaped.

    >>> harmless_line("a\\x1b[2J\\nb")
    'a\\\\x1b[2J\\\\nb'
    """
    return _UNSAFE_OR_LINE_END.sub(_escaped, text)


def harmless_json(text: str) -> str:
    """Return JSON of the same meaning whose strings hold no steering character unescaped."""
    return _UNSAFE.sub(_json_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode()


def _json_escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code > 0xFFFF:
        code -= 0x10000
        return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
    return f"\\u{code:04x}"
