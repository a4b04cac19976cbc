"""The command that opens a file at a line or a page, in the user's editor or viewer."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

from ragcli.errors import InputError

# Editors by the way in which they are given a line.
_PLUS = frozenset(
    "vi vim nvim gvim view nano pico emacs emacsclient micro kak joe jed ne gedit kate".split()
)
_GOTO = frozenset("code code-insiders codium vscodium cursor windsurf".split())
_COLON = frozenset("subl hx helix zed zeditor lapce mate".split())
# Types that no system runs. What is opened otherwise may be a program: .bat, .js, .desktop.
_DOCUMENTS = frozenset(
    ".adoc .asciidoc .bib .csv .doc .docx .eml .epub .htm .html .ics .ipynb .json .jsonl .log"
    " .markdown .md .odp .ods .odt .org .pdf .pptx .rst .rtf .srt .tex .text .toml .tsv .txt .vcf"
    " .vtt .xls .xlsx .xml .yaml .yml".split()
)
_SYSTEM = {"darwin": ["open"], "win32": ["explorer"]}


def open_command(
    file: Path,
    line: int,
    is_document: bool,
    environ: Mapping[str, str],
    platform: str = sys.platform,
) -> list[str]:
    """The command and its arguments; ``is_document``: no editor of texts can show the file.

    A text is opened by $VISUAL or $EDITOR; a document, or a text without an editor, by the system,
    which shows the folder of a file that it might run. Raises InputError for an editor whose value
    cannot be read.
    """
    editor = environ.get("VISUAL") or environ.get("EDITOR") or ""
    try:
        words = shlex.split(editor, posix=platform != "win32")
    except ValueError as error:
        raise InputError(f"EDITOR cannot be read: {editor!r}", str(error)) from error
    if is_document or not words:
        shown = file if file.suffix.casefold() in _DOCUMENTS else file.parent
        return [*_SYSTEM.get(platform, ["xdg-open"]), str(shown)]
    name = Path(words[0]).stem.casefold()
    if name in _PLUS:
        return [*words, f"+{line}", str(file)]
    if name in _GOTO:
        return [*words, "--goto", f"{file}:{line}"]
    return [*words, f"{file}:{line}" if name in _COLON else str(file)]
