"""Reads Rich Text Format (.rtf): paragraphs, headings, tables and notes.

striprtf gives neither headings nor notes.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field, replace

from ragcli.corpus.read.file_text import FileText, Unreadable
from ragcli.corpus.read.outline import Outline

_TOKEN = re.compile(
    rb"""\\(?P<word>[A-Za-z]{1,32})(?P<number>-?\d{1,10})?[ ]?
    | \\'(?P<hex>[0-9A-Fa-f]{2}) | \\(?P<sign>[^A-Za-z]) | (?P<brace>[{}])
    | (?P<plain>[^\\{}\r\n]+)""",
    re.VERBOSE,
)
_SIGNS = {b"~": " ", b"_": "-", b"-": "", b"\\": "\\", b"{": "{", b"}": "}"}
_WORDS = {
    "tab": " ", "emdash": "—", "endash": "–", "lquote": "‘", "rquote": "’", "ldblquote": "“",
    "rdblquote": "”", "bullet": "• ", "emspace": " ", "enspace": " ", "qmspace": " ",
    "nestcell": " ",
}  # fmt: skip
_SKIPPED = frozenset(
    "colortbl filetbl pict object fldinst header footer headerl headerr headerf footerl footerr "
    "footerf listtable listoverridetable rsidtbl generator themedata datastore xmlnstbl "
    "latentstyles "
    "nonshppict bkmkstart bkmkend listtext pntext pntxta pntxtb author operator company subject "
    "keywords comment doccomm revtbl atnid atnauthor atrfstart atrfend atndate".split()
)
_KEPT_AFTER_STAR = frozenset(("footnote", "annotation", "shppict", "fldinst"))
_NOTES = {"footnote": "note", "annotation": "comment"}
_CHARSETS = {
    77: "mac_roman", 128: "cp932", 129: "cp949", 134: "gbk", 136: "big5", 161: "cp1253",
    162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251",
    222: "cp874", 238: "cp1250",
}  # fmt: skip
_HEADING = re.compile(r"(?:heading|überschrift|titre) ?(\d)", re.IGNORECASE)
_DEEPEST = 1000


def read(content: bytes, _path: str) -> FileText:
    """The text of a file; raises Unreadable if it is not RTF."""
    reader = _RtfWriter()
    try:
        if not content.lstrip().startswith(b"{\\rtf"):
            raise ValueError("it does not begin with {\\rtf")
        for token in _TOKEN.finditer(content):
            reader.take(token)
    except ValueError as error:
        raise Unreadable(f"is damaged or not an RTF file: {error}") from error
    reader.end_paragraph()
    return reader.outline.file_text(reader.title)


@dataclass(frozen=True, slots=True)
class _Braces:
    """What holds inside a pair of braces. ``kind`` is the destination of its text."""

    kind: str = ""
    starred: bool = False
    codec: str = "cp1252"
    after_unicode: int = 1  # characters that follow a \\u for programs that cannot show it
    level: int = 0
    in_table: bool = False


@dataclass(slots=True)
class _RtfWriter:
    """Follows the tokens and writes paragraphs to ``outline``."""

    outline: Outline = field(default_factory=Outline)
    title: str = ""
    group: _Braces = field(default_factory=_Braces)
    above: list[_Braces] = field(default_factory=list)
    codecs_of_fonts: dict[int, str] = field(default_factory=dict)
    levels: dict[int, int] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)
    note: list[str] = field(default_factory=list)
    cells: list[str] = field(default_factory=list)
    pending: bytearray = field(default_factory=bytearray)
    skip: int = 0
    font: int = -1
    style: int = -1
    style_level: int = 0
    style_name: list[str] = field(default_factory=list)
    after_table: bool = False

    def take(self, token: re.Match[bytes]) -> None:
        """Follow one token."""
        if code := token["hex"]:
            if self.skip:
                self.skip -= 1
            else:
                self.pending += bytes.fromhex(code.decode())
            return
        if (plain := token["plain"]) is not None:
            kept = plain[self.skip :]
            self.skip = max(self.skip - len(plain), 0)
            self.pending += kept
            return
        self._flush()
        if token["brace"] == b"{":
            self.above.append(self.group)
            self.group = replace(self.group, starred=False)
            if len(self.above) > _DEEPEST:
                raise ValueError(f"more than {_DEEPEST} groups inside each other")
        elif token["brace"] == b"}":
            self._close()
        elif sign := token["sign"]:
            if sign == b"*":
                self.group = replace(self.group, starred=True)
            elif sign in b"\r\n":
                self.end_paragraph()
            else:
                self._say(_SIGNS.get(sign, ""))
        else:
            self._command(token["word"].decode(), token["number"])

    def _flush(self) -> None:
        """Decode the bytes since the last command."""
        if self.pending:
            said = bytes(self.pending).decode(self.group.codec, "replace")
            self.pending.clear()
            self._say(said)

    def _say(self, said: str) -> None:
        kind = self.group.kind
        if kind == "":
            self.words.append(said)
        elif kind in _NOTES:
            self.note.append(said)
        elif kind == "title":
            self.title += said
        elif kind == "stylesheet":
            self.style_name.append(said)

    def _close(self) -> None:
        closing = self.group
        self.group = self.above.pop() if self.above else _Braces()
        if closing.kind == "stylesheet":
            self._end_style()
        if closing.kind in _NOTES and self.group.kind not in _NOTES:
            said = " ".join("".join(self.note).split())
            self.note.clear()
            if said:
                self.words.append(f" [{_NOTES[closing.kind]}: {said}]")

    def _end_style(self) -> None:
        name = "".join(self.style_name)
        if found := _HEADING.search(name):
            self.style_level = int(found[1])
        if self.style >= 0 and self.style_level:
            self.levels[self.style] = self.style_level
        self.style_name.clear()
        self.style, self.style_level = -1, 0

    def _command(self, word: str, given: bytes | None) -> None:
        number = int(given) if given is not None else 0
        if word == "bin":
            raise ValueError("it holds binary data, which are not read")
        if self.group.starred and word not in _KEPT_AFTER_STAR:
            self.group = replace(self.group, kind="skipped", starred=False)
        elif self.group.kind == "skipped":
            return
        elif word in _SKIPPED:
            self.group = replace(self.group, kind="skipped")
        elif word in ("fonttbl", "stylesheet", "title", *_NOTES):
            self.group = replace(self.group, kind=word, starred=False)
        elif word in _WORDS:
            self._say(_WORDS[word])
        elif word == "u":
            self._say(_unicode(number))
            self.skip = self.group.after_unicode
        else:
            self._set(word, number)

    def _set(self, word: str, number: int) -> None:
        if word in ("ansicpg", "f", "fcharset", "uc"):
            self._set_font(word, number)
        elif word in ("s", "outlinelevel"):
            self._set_level(word, number)
        elif self.group.kind in _NOTES and word in ("par", "line"):
            self._say(" ")
        elif self.group.kind:
            return
        elif word in ("par", "sect", "page"):
            self.end_paragraph()
        elif word == "line":
            self.words.append("\n")
        elif word in ("pard", "intbl", "cell", "row"):
            self._set_table(word)

    def _set_font(self, word: str, number: int) -> None:
        if word == "uc":
            self.group = replace(self.group, after_unicode=min(max(number, 0), 8))
        elif word == "ansicpg":
            self.group = replace(self.group, codec=_known(f"cp{number}"))
            self.codecs_of_fonts[-1] = self.group.codec
        elif word == "f":
            self.font = number
            default = self.codecs_of_fonts.get(-1, "cp1252")
            self.group = replace(self.group, codec=self.codecs_of_fonts.get(number, default))
        elif self.group.kind == "fonttbl" and number in _CHARSETS:
            self.codecs_of_fonts[self.font] = _CHARSETS[number]

    def _set_level(self, word: str, number: int) -> None:
        if self.group.kind == "stylesheet":
            if word == "s":
                self.style = number
            else:
                self.style_level = number + 1 if 0 <= number < 9 else 0
        else:
            level = self.levels.get(number, 0) if word == "s" else number + 1
            self.group = replace(self.group, level=level if 0 < level < 10 else 0)

    def _set_table(self, word: str) -> None:
        if word == "pard":
            self.group = replace(self.group, level=0, in_table=False)
        elif word == "intbl":
            self.group = replace(self.group, in_table=True)
        elif word == "cell":
            self.cells.append("".join(self.words))
            self.words.clear()
        else:
            self.outline.row(self.cells)
            self.cells.clear()
            self.after_table = True

    def end_paragraph(self) -> None:
        """Write the paragraph that ends here."""
        self._flush()
        if self.group.in_table or self.group.kind:
            self.words.append(" ")
            return
        said = "".join(self.words)
        self.words.clear()
        if not said.strip():
            return
        if self.after_table:
            self.outline.line()
            self.after_table = False
        if self.group.level:
            self.outline.heading(self.group.level, said)
            return
        if said.startswith("• "):
            self.outline.line("- ")
            said = said.removeprefix("• ")
        else:
            self.outline.paragraph()
        self.outline.lines(said)


def _unicode(number: int) -> str:
    """Return the character of a \\u command, whose number may be written as a negative one."""
    number &= 0xFFFF
    return "" if 0xD800 <= number < 0xE000 else chr(number)


def _known(codec: str) -> str:
    """Return a codec's name, cp1252 if there is none of that name."""
    try:
        return codecs.lookup(codec).name
    except LookupError:
        return "cp1252"
