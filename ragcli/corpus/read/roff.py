"""Reads manual pages (roff with the macros "man" or "mdoc"): what a reader sees of each line.

Line n of the text comes from line n of the file.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from ragcli.corpus.read.text import load
from ragcli.types import ParsedDocument, Skipped, Source

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
    "(Om": "º",
}  # fmt: skip
# An accent and a letter are named together: \('e, \[^o]. These marks follow the letter.
_ACCENTS = {
    "'": "\u0301", "`": "\u0300", "^": "\u0302", ":": "\u0308", "~": "\u0303", ",": "\u0327",
    "v": "\u030c",
}  # fmt: skip
_TWO = 2
_ESCAPE = re.compile(
    r"""\\(?:
      f(?:\[[^\]\n]*\]|\(..|.)            # fonts
    | [sm](?:\[[^\]\n]*\]|[+-]?\d{1,2}|'[^'\n]*'|\(..)
    | [vhwlLDoxXZY](?:'[^'\n]*'|\[[^\]\n]*\])
    | \*\[(?P<string>[^\]\n]*)\] | \[(?P<named>[^\]\n]*)\]
    | n(?:\[[^\]\n]*\]|\(..|.)
    | (?P<sign>\*?\(..|\*.|.)
    )""",
    re.VERBOSE,
)
_COMMENT = re.compile(r"""(?:^['.][ \t]*)?\\["#].*""")
_UNICODE = re.compile(r"u([0-9A-Fa-f]{4,6})\Z")
_ARGUMENT = re.compile(r'"((?:[^"]|"")*)"?|(\S+)')

_HEADINGS = {"SH": 1, "Sh": 1, "SS": 2, "Ss": 2}
_TITLES = ("TH", "Dt")
_PARAGRAPHS = frozenset(("PP", "P", "LP", "Pp", "TP", "sp", "HP", "IP", "El", "Bl", "Bd", "Ed"))
_FONTS = frozenset(("B", "I", "BR", "RB", "BI", "IB", "IR", "RI", "SM", "SB", "R"))
_JOINED = frozenset(("BR", "RB", "BI", "IB", "IR", "RI"))
_SHOWN = frozenset(("IP", "TQ", "UR", "MT", "SY", "OP"))
# Macros of mdoc that only mark up their arguments.
_MDOC = {
    "Nm": "", "Nd": "– ", "Fl": "-", "Ar": "", "Cm": "", "Pa": "", "Xr": "", "Em": "", "Sy": "",
    "Li": "", "Ql": "", "Dv": "", "Ev": "", "Va": "", "Vt": "", "Fn": "", "Fa": "", "Ft": "",
    "It": "- ", "Op": "", "Dq": "", "Sq": "", "Pq": "", "An": "", "At": "", "Bx": "", "Fx": "",
    "Ic": "", "Ns": "", "No": "", "Ad": "", "Lk": "", "Mt": "", "Er": "", "St": "", "Tn": "",
    "Bq": "", "Aq": "", "Qq": "", "Cd": "", "In": "", "D1": "", "Dl": "", "Sx": "", "Ux": "Unix ",
}  # fmt: skip
_INNER = frozenset(_MDOC) | {"Oo", "Oc", "Ta", "Xo", "Xc", "Ap"}
_BULLETS = ("•", "-", "*", "")
_TABLE_MARK = re.compile(r"T\{|T\}|T\}[@\t]T\{|[_=\t]*")
_HIDDEN_BLOCKS = {"ig": "..", "de": "..", "de1": "..", "am": ".."}


def read(source: Source) -> Iterator[ParsedDocument | Skipped]:
    """Yield the document of a manual page, or another text as it is; may raise ReadError."""
    loaded = load(source)
    if isinstance(loaded, Skipped):
        yield loaded
        return
    text = loaded.text
    if not is_manual(text):  # "syslog.1"
        yield loaded
        return
    page = _Page()
    for line in text.split("\n"):
        page.take(line)
    yield page.document(source.id, loaded.sha256)


def is_manual(text: str) -> bool:
    """Return whether a text is a manual page: its first request names a title."""
    return any(line.startswith((".TH ", ".Dd ", ".Dt ")) for line in text.split("\n", 200)[:200])


class _Page:
    """Turns each line of roff into a line of text."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._length = 0
        self._headings: list[tuple[int, int, str]] = []
        self._title = ""
        self._name = ""
        self._table = ""  # "head" or "rows" inside a table
        self._until = ""  # the line that ends what is not shown
        self._section = ""
        self._open_level = 0  # of a heading whose words are on the next line

    def take(self, line: str) -> None:
        """Add a line of the file."""
        shown = self._shown(line)
        if self._open_level and shown.strip():
            self._headings.append((self._length, self._open_level, shown.strip()))
            self._open_level = 0
        self._lines.append(shown)
        self._length += len(shown) + 1

    def _shown(self, line: str) -> str:
        if self._until:
            if line.rstrip() == self._until:
                self._until = ""
            return ""
        line = _COMMENT.sub("", line).rstrip()
        if self._table and line[:1] != ".":
            return self._table_row(line)
        if line[:1] not in (".", "'"):
            return _plain(line)
        macro, _, rest = line[1:].lstrip().partition(" ")
        return self._request(macro.strip(), rest.strip())

    def _table_row(self, line: str) -> str:
        """Return a row of a table; the lines before one that ends in "." describe its columns."""
        if self._table == "head":
            self._table = "rows" if line.endswith(".") else "head"
            return ""
        if _TABLE_MARK.fullmatch(line):
            return ""
        return _plain(line.removeprefix("T}").lstrip("@\t")).replace("\t", " | ")

    def _request(self, macro: str, rest: str) -> str:
        arguments = _arguments(rest)
        if macro in _HEADINGS:
            return self._head(_HEADINGS[macro], " ".join(arguments))
        if macro in _TITLES:
            self._title = self._title or " ".join(arguments[:2])
        elif macro in _FONTS:
            return ("" if macro in _JOINED else " ").join(arguments)
        elif macro in _SHOWN:
            if macro != "IP":
                return " ".join(arguments)
            return f"- {arguments[0]}" if arguments and arguments[0] not in _BULLETS else ""
        elif macro in _MDOC:
            return self._marked(macro, arguments)
        elif macro == "TS":
            self._table = "head"
        elif macro == "TE":
            self._table = ""
        elif macro in _HIDDEN_BLOCKS:
            self._until = _HIDDEN_BLOCKS[macro]
        return ""

    def _head(self, level: int, name: str) -> str:
        if not name:
            self._open_level = level
            return ""
        self._headings.append((self._length, level, name))
        return name

    def _marked(self, macro: str, arguments: list[str]) -> str:
        """Return the arguments of a macro of mdoc; some of them may be macros themselves."""
        if macro == "Nm":
            self._name = self._name or " ".join(arguments)
            arguments = arguments or [self._name]
        words = [_MDOC[macro].strip()] if _MDOC[macro].strip() else []
        glue = macro == "Fl"
        for argument in arguments:
            if argument in _INNER and argument not in ("No", "Ns", "In", "An"):
                glue = argument == "Fl"
                if glue:
                    words.append("-")
                continue
            if words and (glue or argument in (".", ",", ";", ":", ")", "?", "!")):
                words[-1] += argument
            else:
                words.append(argument)
            glue = False
        return " ".join(words)

    def document(self, id_: str, sha256: str) -> ParsedDocument:
        """Return the page; its title is its name and section, as in "ls 1"."""
        text = "\n".join(self._lines)
        starts = (0, *(at + 1 for at, c in enumerate(text) if c == "\n"))
        return ParsedDocument(
            id_, sha256, self._title.lower(), text, starts, headings=tuple(self._headings)
        )


def _arguments(rest: str) -> list[str]:
    found = [
        quoted.replace('""', '"') if quoted or not bare else bare
        for quoted, bare in _ARGUMENT.findall(rest)
    ]
    return [_plain(argument) for argument in found if argument]


def _plain(line: str) -> str:
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
