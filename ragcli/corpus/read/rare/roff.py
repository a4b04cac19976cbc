"""Reads manual pages (roff with the macros "man" or "mdoc"): the text that a terminal shows.

Lines are filled as roff fills them. Sections are headings, and so are the terms of lists: options,
settings, variables. Offsets refer to that text, lines to the file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ragcli.corpus.read.file_text import FileText
from ragcli.corpus.read.outline import TERM, Outline
from ragcli.corpus.read.plain_headings import headings_in
from ragcli.corpus.read.rare.roff_mdoc import INLINE, words_of
from ragcli.corpus.read.rare.roff_signs import plain_of
from ragcli.corpus.read.rare.roff_table import RoffTable
from ragcli.corpus.read.text import load

_COMMENT = re.compile(r"""(?:^['.][ \t]*)?\\["#].*""")
_ARGUMENT = re.compile(r'"((?:[^"]|"")*)"?|(\S+)')
_NUMBER = re.compile(r"\(?(?:\d{1,3}|[a-z])[.)]\Z")
_LONGEST_TERM = 200
_MOST_NAMES = 4
"""Terms that follow each other without text are names of one thing, up to so many."""
_BULLETS = frozenset(("•", "-", "*", "o", "·", "–", "—", ""))

_HEADINGS = {"SH": 1, "Sh": 1, "SS": 2, "Ss": 2}
_TITLES = frozenset(("TH", "Dt"))
_FONTS = frozenset(("B", "I", "SM", "SB", "R"))
_JOINED_FONTS = frozenset(("BR", "RB", "BI", "IB", "IR", "RI"))
_NEW_PARAGRAPHS = frozenset(("PP", "P", "LP", "HP"))
"""They end the item of a list above them."""
_BREAKS = frozenset(("sp", "Sp", "Pp", "Bd", "Ed", "SY", "YS"))
_UNFILLED = {"nf": True, "EX": True, "Vb": True, "fi": False, "EE": False, "Ve": False}
_HIDDEN_BLOCKS = frozenset(("ig", "de", "de1", "am", "am1"))
_MARKS = {"-bullet": "- ", "-dash": "- ", "-hyphen": "- "}
_NO_TERMS = frozenset((*_MARKS, "-item", "-enum", "-column"))


def read(content: bytes, _path: str) -> FileText:
    """The text of a manual page, or another text as it is."""
    loaded = load(content)
    if not is_manual(loaded.text):  # "syslog.1", release notes in "6.2"
        return replace(loaded, headings=headings_in(loaded.text))
    page = _Page()
    lines = loaded.text.split("\n")
    for number, line in enumerate(lines, start=1):
        page.take(line, number, lines[number : number + 2])
    return page.file_text()


def is_manual(text: str) -> bool:
    """Return whether a text is a manual page: its first request names a title."""
    return any(line.startswith((".TH ", ".Dd ", ".Dt ")) for line in text.split("\n", 200)[:200])


class _Page:
    """Takes the lines of a manual page and writes what they show to an outline."""

    def __init__(self) -> None:
        self._outline = Outline()
        self._title = ""
        self._name = ""  # of the program, in mdoc
        self._section = ""
        self._number = 0  # of the line in the file
        self._table: RoffTable | None = None
        self._hidden_until = ""  # the line that ends what is not shown
        self._unfilled = False
        self._level = 0  # of a heading whose words are on the next line
        self._term = False  # the next line that shows something is a term
        self._term_open = False  # a term has been written; another line may go on with it
        self._term_until_xc = False
        self._tight = 0  # without spaces between words: since how many lines
        self._terms = 1  # names of the open term
        self._indents: list[int] = []  # for each open ".RS": the level that ends with it
        self._above_block = False  # the last term is above an ".RS" of its own
        self._lists: list[str] = []  # kinds of the open lists of mdoc
        self._items = 0

    def take(self, line: str, number: int, following: Sequence[str]) -> None:
        """Take a line of the file, the first being 1, with the two lines after it."""
        self._number = number
        if self._hidden_until:
            if "".join(line.split()) == self._hidden_until:
                self._hidden_until = ""
            return
        line = _COMMENT.sub("", line).rstrip()
        if self._table is not None and not line.startswith(".TE"):
            if row := self._table.take(line):
                self._outline.line()
                self._outline.write(row, line=number)
            return
        if line[:1] not in (".", "'"):
            self._show(plain_of(line))
            return
        macro, _, rest = line[1:].lstrip().partition(" ")
        self._request(macro.strip(), _arguments(rest.strip()), following)

    def _request(self, macro: str, words: list[str], following: Sequence[str]) -> None:
        if macro in _HEADINGS:
            self._head(_HEADINGS[macro], plain_of(" ".join(words)))
        elif macro in _TITLES:
            self._title = self._title or plain_of(" ".join(words[:2]))
        elif macro in _FONTS or macro in _JOINED_FONTS:
            self._show(plain_of(("" if macro in _JOINED_FONTS else " ").join(words)))
        elif macro in INLINE:
            self._inline(macro, words)
        elif macro in ("TP", "TQ", "IP", "It"):
            self._item(macro, words)
        elif macro in ("RS", "RE", "Bl", "El"):
            self._nest(macro, words)
        else:
            self._layout(macro, words, following)

    def _layout(self, macro: str, words: list[str], following: Sequence[str]) -> None:
        """Take a request that begins a paragraph, a line, a table or a block."""
        if macro in _NEW_PARAGRAPHS:
            self._end_item()
            self._term = _is_term_above_block(macro, following)
            self._above_block = self._term and macro != "HP"
        elif macro in _BREAKS:
            self._close_term()
            self._outline.paragraph()
            self._term = self._above_block = macro == "sp" and _is_term_above_block(
                macro, following
            )
            if macro in ("Bd", "Ed"):
                self._unfilled = bool({"-literal", "-unfilled"} & set(words))
            elif macro == "SY":
                self._show(plain_of(" ".join(words)))
        elif macro in _UNFILLED:
            self._close_term()
            self._outline.paragraph()
            self._unfilled = _UNFILLED[macro]
        elif macro in ("br", "TS", "TE"):
            self._close_term()
            self._outline.line()
            self._table = RoffTable() if macro == "TS" else None
        elif macro == "Sm":
            self._tight = int("off" in words)
        elif macro in _HIDDEN_BLOCKS:
            ends = words[1:] if macro != "ig" else words
            self._hidden_until = f".{ends[0]}" if ends else ".."
        elif macro in ("UR", "MT", "OP") or macro.startswith("%"):
            self._show(plain_of(" ".join(words)))

    def _show(self, text: str) -> None:
        """Write the text of a line where it belongs: a heading, a term or running text."""
        if not text.strip():
            if not self._term and not self._term_open:
                self._outline.paragraph()
            return
        if self._level:
            self._head(self._level, text.strip())
        elif self._term:
            self._term = False
            self._begin_item(text.strip())
        elif self._term_open and self._term_until_xc:
            self._outline.write(text if self._tight > 1 else f" {text}", line=self._number)
            self._tight += self._tight > 0
        else:
            self._close_term()
            self._write(text)

    def _write(self, text: str) -> None:
        if self._unfilled:
            self._outline.line()
            self._outline.write(text, keep_space=True, line=self._number)
            return
        if text.startswith(" "):
            self._outline.line()
        glued = text.endswith(("[", "(", "“", "‘"))
        self._outline.write(text if glued else f"{text} ", line=self._number)

    def _inline(self, macro: str, words: list[str]) -> None:
        """Show a macro of mdoc in the running text."""
        if macro == "Nm":
            self._name = self._name or plain_of(" ".join(words[:1]))
        if macro in ("D1", "Dl") or (macro == "Nm" and self._section == "SYNOPSIS"):
            self._outline.line()
        shown = words_of(macro, words, self._name)
        self._show(shown.replace(" ", "") if self._tight else shown)
        if macro in ("D1", "Dl"):
            self._outline.line()
        if "Xc" in (macro, *words):
            self._term_until_xc = False

    def _head(self, level: int, heading: str) -> None:
        """Write the heading of a section; "" if it is on the next line."""
        self._close_term()
        self._term = False
        self._indents, self._lists = [], []
        self._level = 0 if heading else level
        self._section = heading
        if heading:
            self._outline.heading(level, heading, self._number)

    @property
    def _depth(self) -> int:
        return len(self._indents) + len(self._lists)

    def _item(self, macro: str, words: list[str]) -> None:
        """Begin an item of a list; its term is in the same line or the next one."""
        if self._goes_on(macro, words):
            self._outline.write(",")
            self._terms += 1
        else:
            self._close_term()
        self._above_block = False
        if macro in ("TP", "TQ"):
            if not self._term_open:
                self._outline.paragraph()
            self._term = True
        elif macro == "It":
            self._list_item(words)
        elif words:
            self._begin_item(plain_of(words[0]))
        else:
            self._outline.paragraph()

    def _goes_on(self, macro: str, words: list[str]) -> bool:
        """Return whether an item is another name of the one above, which has no text yet."""
        bullet = macro == "IP" and (not words or plain_of(words[0]) in _BULLETS)
        return self._term_open and (macro == "TQ" or (self._terms < _MOST_NAMES and not bullet))

    def _list_item(self, words: list[str]) -> None:
        """Begin an item of a list of mdoc."""
        kind = self._lists[-1] if self._lists else "-tag"
        self._items += 1
        if kind == "-enum":
            self._outline.line(f"{self._items}. ")
        elif kind in _NO_TERMS:
            self._outline.line(_MARKS.get(kind, ""))
        shown = words_of("No", words, self._name)
        if not shown.strip():
            return
        if kind in _NO_TERMS:
            self._show(shown)
        else:
            self._begin_item(shown.strip())
            self._term_until_xc = "Xo" in words and "Xc" not in words

    def _begin_item(self, term: str) -> None:
        """Write a term as a heading; a bullet or a number is the mark of a line."""
        if self._term_open:
            self._outline.write(f" {term}", line=self._number)
        elif term in _BULLETS or _NUMBER.match(term):
            self._outline.line("- " if term in _BULLETS else f"{term} ")
        elif len(term) > _LONGEST_TERM:
            self._end_item()
            self._write(term)
        else:
            self._outline.paragraph()
            self._outline.open_heading(TERM + self._depth)
            self._outline.write(term, line=self._number)
            self._term_open = True

    def _close_term(self) -> None:
        """End an open term; the text after it is its definition."""
        if self._term_open:
            self._outline.close_heading()
        self._term_open = self._term_until_xc = False
        self._terms, self._tight = 1, 0

    def _end_item(self) -> None:
        """End the item that a paragraph of its own follows."""
        self._close_term()
        self._outline.end_section(TERM + self._depth)

    def _nest(self, macro: str, words: list[str]) -> None:
        """Begin or end a block that is indented further, or a list of mdoc."""
        self._close_term()
        self._term = False
        if macro == "RS":
            self._indents.append(TERM + self._depth + (not self._above_block))
            self._above_block = False
            self._outline.paragraph()
        elif macro == "RE" and self._indents:
            self._outline.end_section(self._indents.pop())
        elif macro == "Bl":
            self._lists.append(words[0] if words else "-item")
            self._items = 0
            self._outline.paragraph()
        elif macro == "El" and self._lists:
            self._outline.end_section(TERM + self._depth)
            self._lists.pop()

    def file_text(self) -> FileText:
        """The text of the page; its title is its name and section, as in "ls 1"."""
        self._close_term()
        return self._outline.file_text(self._title.lower())


def _is_term_above_block(macro: str, following: Sequence[str]) -> bool:
    """Return whether the line after a macro is a term: by itself above an indented block."""
    if len(following) < 2:
        return False
    term, block = following
    ends = block == ".IP" if macro == "HP" else block.startswith(".RS")
    return bool(term) and term[0] not in ".'" and ends


def _arguments(rest: str) -> list[str]:
    """Return the arguments of a request, with their escapes."""
    found = [
        quoted.replace('""', '"') if quoted or not bare else bare
        for quoted, bare in _ARGUMENT.findall(rest)
    ]
    return [argument for argument in found if argument]
