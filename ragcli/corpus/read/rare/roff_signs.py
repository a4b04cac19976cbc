"""What escapes of roff show: letters with accents, quotes, dashes; fonts and sizes show nothing."""

from __future__ import annotations

import re
import unicodedata

_SIGNS = {
    "(co": "©", "(bu": "•", "(em": "—", "(en": "–", "(lq": "“", "(rq": "”", "(oq": "‘", "(cq": "’",
    "(aq": "'", "(dq": '"', "(ti": "~", "(ha": "^", "(rs": "\\", "(hy": "-", "(mi": "-", "-": "-",
    "(+-": "±", "(mu": "×", "(->": "→", "(<-": "←", "(>=": "≥", "(<=": "≤", "(tm": "™", "(rg": "®",
    "e": "\\", " ": " ", "~": " ", "0": " ", "&": "", "|": "", "^": "", "/": "", ",": "", "%": "",
    "c": "", ":": "", "(bv": "|", "(sl": "/", "(ga": "`", "(aa": "´", "(:a": "ä", "(:o": "ö",
    "(:u": "ü", "(ss": "ß", "*(lq": "“", "*(rq": "”", "*(Aq": "'", "*R": "®", "*(Tm": "™",
    "(ae": "æ", "(AE": "Æ", "(oe": "œ", "(OE": "Œ", "(oa": "å", "(oA": "Å", "(/o": "ø", "(/O": "Ø",
    "(/l": "ł", "(/L": "Ł", "(-D": "Ð", "(Sd": "ð", "(Tp": "þ", "(TP": "Þ", "(.i": "ı", "(r!": "¡",
    "(r?": "¿", "(Fo": "«", "(Fc": "»", "(fo": "‹", "(fc": "›", "(Bq": "„", "(bq": "‚", "(de": "°",
    "(sc": "§", "(ps": "¶", "(Eu": "€", "(Po": "£", "(Ye": "¥", "(ct": "¢", "(12": "½", "(14": "¼",
    "(34": "¾", "(di": "÷", "(!=": "≠", "(==": "≡", "(~~": "≈", "(if": "∞", "(*m": "μ", "(Of": "ª",
    "(Om": "º", "*(--": "--", "*(L\"": "“", "*(R\"": "”", "*(C+": "C++",
}  # fmt: skip
# An accent and a letter are named together: \('e, \[^o]. These marks follow the letter.
_ACCENTS = {
    "'": "\u0301", "`": "\u0300", "^": "\u0302", ":": "\u0308", "~": "\u0303", ",": "\u0327",
    "v": "\u030c",
}  # fmt: skip
_TWO = 2
_ESCAPE = re.compile(
    r"""\\(?:
      f(?:\[[^\]\n]{0,100}\]|\(..|.)            # fonts
    | [sm](?:\[[^\]\n]{0,100}\]|[+-]?\d{1,2}|'[^'\n]{0,100}'|\(..)
    | [vhwlLDoxXZY](?:'[^'\n]{0,100}'|\[[^\]\n]{0,100}\])
    | \*\[(?P<string>[^\]\n]{0,100})\] | \[(?P<named>[^\]\n]{0,100})\]
    | n(?:\[[^\]\n]{0,100}\]|\(..|.)
    | (?P<sign>\*?\(..|\*.|.)
    )""",
    re.VERBOSE,
)
_UNICODE = re.compile(r"u([0-9A-Fa-f]{4,6})\Z")


def plain_of(line: str) -> str:
    """Return what a reader sees of a line of roff.

    >>> plain_of(r"\\fB\\-a\\fR, the na\\[:i]ve one")
    '-a, the naïve one'
    """
    return _ESCAPE.sub(_sign, line)


def _sign(match: re.Match[str]) -> str:
    name = match["named"] if match["named"] is not None else match["string"]
    if name is None:
        sign = match["sign"] or ""
        return _SIGNS.get(sign) or (_accented(sign[1:]) if sign[:1] == "(" else "")
    if code := _UNICODE.match(name):
        number = int(code[1], 16)
        return chr(number) if number < 0xD800 or 0xE000 <= number < 0x110000 else ""
    return _SIGNS.get(f"({name}") or _SIGNS.get(f"*({name}") or _accented(name)


def _accented(name: str) -> str:
    """A letter with an accent, "" for other names.

    >>> _accented("'e"), _accented("vs"), _accented("hs")
    ('é', 'š', '')
    """
    if len(name) != _TWO or name[0] not in _ACCENTS:
        return ""
    letter = unicodedata.normalize("NFC", name[1] + _ACCENTS[name[0]])
    return letter if len(letter) == 1 else ""
