"""Reads LaTeX: the words of each line without the commands; sections are headings.

Line n of the text comes from line n of the file, which pylatexenc does not keep. Mathematics stays
as it is written.
"""

from __future__ import annotations

import re

from ragcli.corpus.normalised_text import normalise
from ragcli.corpus.read import text
from ragcli.corpus.read.file_text import FileText, Heading
from ragcli.text.words import one_line

_LEVELS = {"part": 1, "chapter": 1, "section": 2, "subsection": 3, "subsubsection": 4}
_HEADING = re.compile(r"\\(part|chapter|(?:sub){0,2}section|paragraph)\*?(?:\[[^\]\n]{0,400}\])?\{")
_TITLE = re.compile(r"\\title(?:\[[^\]]*\])?\{((?:[^{}]|\{[^{}]*\}){1,400})\}")
_BODY = re.compile(r"^[ \t]*\\begin\{document\}", re.MULTILINE)
_COMMENT = re.compile(r"(?<!\\)%.*")
_VERBATIM = re.compile(r"\\(begin|end)\{(?:verbatim|lstlisting|minted|Verbatim)\*?\}")
# Commands whose arguments are not text.
_SILENT = re.compile(
    r"""\\(?:documentclass|usepackage|newcommand|renewcommand|providecommand|def|let|setlength
    |label|bibliographystyle|bibliography|pagestyle|thispagestyle|input|include|includegraphics
    |hypersetup|definecolor|newenvironment|vspace|hspace|newtheorem|DeclareMathOperator|addtolength
    |setcounter|tableofcontents|maketitle|geometry|makeatletter|makeatother|RequirePackage|color)\*?
    (?:\[[^\]\n]{0,400}\]|\{(?:[^{}\n]|\{(?:[^{}\n]|\{[^{}\n]*\})*\})*\}|\\\w+)*""",
    re.VERBOSE,
)
_REFERENCE = re.compile(
    r"~?\\(?:cite\w*|ref|eqref|autoref|cref|Cref|pageref)\*?(?:\[[^\]\n]{0,400}\]){0,2}\{([^}\n]{0,400})\}"
)
_LINK = re.compile(
    r"\\(?:href|hypertarget|textcolor|url(?=\{[^}\n]{0,400}\}\{))\*?\{[^}\n]{0,400}\}"
)
_NOTE = re.compile(r"\\footnote(?:\[[^\]\n]{0,400}\])?\{")
_ENVIRONMENT = re.compile(
    r"\\(?:begin|end)\{[^}\n]{0,400}\}(?:\[[^\]\n]{0,400}\])?"
    r"(?:\{(?:[lcr|pmbX*@!<>.\d ]|\{[^{}\n]*\})*\})?"
)
_ITEM = re.compile(r"\\item(?:\[([^\]\n]{0,400})\])?[ \t]*")
_BREAK = re.compile(r"\\\\(?:\[[^\]\n]{0,400}\])?")
_ESCAPED = re.compile(r"\\([%&$#_{}])")
_ACCENT = re.compile(r"""\\(["'`^~=.])\{?\\?([A-Za-z])\}?|\\([ckvurH])\{([A-Za-z])\}""")
_COMMAND = re.compile(r"\\[A-Za-z@]+\*?[ \t]?")
_MATHS = re.compile(r"\$\$?[^$\n]*\$\$?|\\(?:\((?:(?!\\\().)*?\\\)|\[(?:(?!\\\[).)*?\\\])")
_COMBINING = {
    '"': "\u0308", "'": "\u0301", "`": "\u0300", "^": "\u0302", "~": "\u0303", "=": "\u0304",
    ".": "\u0307", "c": "\u0327", "k": "\u0328", "v": "\u030c", "u": "\u0306", "r": "\u030a",
    "H": "\u030b",
}  # fmt: skip
_SIGNS = (
    ("``", "“"), ("''", "”"), ("---", "—"), ("--", "–"), (r"\ss{}", "ß"), (r"\ss ", "ß"),
    (r"\o{}", "ø"), (r"\aa{}", "å"), (r"\ae{}", "æ"), (r"\l{}", "ł"), (r"\LaTeX", "LaTeX"),
    (r"\TeX", "TeX"), (r"\ldots", "…"), (r"\dots", "…"), (r"\,", " "), (r"\ ", " "), ("~", " "),
)  # fmt: skip


def read(content: bytes, _path: str) -> FileText:
    """The text of a file without commands, with headings and title."""
    document = text.load(content)
    lines: list[str] = []
    headings: list[Heading] = []
    length = 0
    verbatim = False
    preamble = _BODY.search(document.text)
    begins = preamble.start() if preamble else 0
    at = 0
    for line in document.text.split("\n"):
        at += len(line) + 1
        if at <= begins:
            shown = ""
        elif found := _VERBATIM.search(line):
            verbatim = found[1] == "begin"
            shown = ""
        elif verbatim:
            shown = line
        else:
            level = _LEVELS.get(found[1], 4) if (found := _HEADING.search(line)) else 0
            shown = _words(line)
            if level and shown.strip():
                headings.append((length + len(shown) - len(shown.lstrip()), level, shown.strip()))
        lines.append(shown)
        length += len(shown) + 1
    given = _TITLE.search(document.text)
    title = one_line(_words(given[1].replace("\n", " "))) if given else ""
    return FileText("\n".join(lines), title, tuple(headings))


def _words(line: str) -> str:
    """Return a line without comments and commands."""
    line = _SILENT.sub("", _COMMENT.sub("", line))
    kept: list[str] = []

    def keep(match: re.Match[str]) -> str:
        kept.append(match[0])
        return f"\0{len(kept) - 1}\0"

    line = _MATHS.sub(keep, line)
    line = _REFERENCE.sub(r" [\1]", _LINK.sub("", _NOTE.sub(" – {", line)))
    line = _ITEM.sub(lambda m: f"- {m[1]} " if m[1] else "- ", _ENVIRONMENT.sub("", line))
    line = _BREAK.sub("", line)
    for written, shown in _SIGNS:
        line = line.replace(written, shown)
    line = _ACCENT.sub(_accented, line)
    line = line.replace(" & ", " | ")
    line = _ESCAPED.sub(lambda m: _PROTECTED[m[1]], line)
    line = _COMMAND.sub("", line).replace("{", "").replace("}", "")
    line = line.translate(_UNPROTECTED)
    for at, maths in enumerate(kept):
        line = line.replace(f"\0{at}\0", maths)
    return normalise(line)[0].rstrip()


_PROTECTED = {sign: chr(0xE000 + at) for at, sign in enumerate("%&$#_{}")}
_UNPROTECTED = {ord(kept): sign for sign, kept in _PROTECTED.items()}


def _accented(match: re.Match[str]) -> str:
    accent, letter = (match[1], match[2]) if match[1] else (match[3], match[4])
    return f"{letter}{_COMBINING[accent]}"
