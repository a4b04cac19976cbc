"""Which reader reads a file: by its suffix, the reader of an installed package first.

A package registers a reader (``file_text``) as an entry point in the group "ragcli.readers", named
by the suffix; the tables below register those of this package in the same form.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import EntryPoint, distributions
from itertools import pairwise
from pathlib import Path

from ragcli.corpus.normalised_text import PAGE, normalise
from ragcli.corpus.read import code, pictures
from ragcli.corpus.read.file_text import FileText, documents_of
from ragcli.text.words import one_line
from ragcli.types import ParsedDocument, Skipped, Source
from ragcli.types.blocks import flat

GROUP = "ragcli.readers"

Found = ParsedDocument | Skipped | Source
"""What a file gives; a source is a part of it that is a file itself."""

_FORMATS = {
    "text:read": "txt text log",
    "markdown:read": "md markdown qmd rmd",
    "html:read": "html htm xhtml",
    "docx:read": "docx",
    "epub:read": "epub",
    "opendocument:read": "odt ott odp otp",
    "pptx:read": "pptx pptm ppsx",
    "old_office:read_doc": "doc",
    "csv_table:read": "csv tsv tab",
    "notebook:read": "ipynb",
    "json_tree:read": "json geojson webmanifest",
    "xml_tree:read": "xml xsd rss atom docbook dbk page dita nxml tei",
    "markup:read_yaml": "yaml yml",
    "markup:read_sections": "toml ini cfg conf desktop",
    "markup:read_rst": "rst",
    "markup:read_asciidoc": "adoc asciidoc",
    "markup:read_org": "org",
    "code:read": " ".join(suffix[1:] for suffix in code.SUFFIXES),
    "rare.rtf:read": "rtf",
    "rare.latex:read": "tex latex",
    "rare.subtitles:read": "srt vtt",
    "rare.calendars:read": "ics ical vcf vcard",
    "rare.roff:read": "man mdoc roff 1 2 3 4 5 6 7 8 9",
}
"""Readers of formats, and the suffixes of these."""

_CONTAINERS = {
    "jsonl:read": "jsonl",
    "pdf:read": "pdf",
    "sheets:read": "xlsx xlsm xlsb ods",
    "old_office:read_xls": "xls",
    "mail:read_eml": "eml",
    "mail:read_mbox": "mbox",
    "outlook:read": "msg",
    "pictures:read": " ".join(suffix[1:] for suffix in pictures.SUFFIXES),
    "packed:read": "zip tar tgz tbz2 txz gz bz2 xz",
}
"""The same of what may hold several documents: their readers take a ``Source``."""

_PLAIN = frozenset(("text:read", "markdown:read", "jsonl:read"))
"""Readers that take linear time and limited memory."""


@dataclass(frozen=True, slots=True)
class Registered:
    """A reader. ``identity`` names that of a package with its version, "" a built-in one."""

    entry: EntryPoint
    one: bool
    identity: str = ""

    @property
    def name(self) -> str:
        """Its module and function: "pdf:read"; those of packages have an identity, too."""
        return self.entry.value.removeprefix(f"{__package__}.")

    @property
    def is_plain(self) -> bool:
        """Whether it needs no process of its own."""
        return not self.identity and self.name in _PLAIN

    def read(self, source: Source, *more: object) -> Iterator[Found]:
        """Yield what a file gives; readers of containers may take ``more`` than the file."""
        function = self.entry.load()
        if not self.one:
            yield from function(source, *more)
        elif self.identity:
            yield from documents_of(lambda *file: _checked(function(*file)), source, self.identity)
        else:
            yield from documents_of(function, source)


def _table(names: Mapping[str, str], one: bool) -> dict[str, Registered]:
    return {
        f".{suffix}": Registered(EntryPoint(suffix, f"{__package__}.{name}", GROUP), one)
        for name, suffixes in names.items()
        for suffix in suffixes.split()
    }


BUILT_IN = _table(_FORMATS, one=True) | _table(_CONTAINERS, one=False)


def reader_of(path: str) -> Registered | None:
    """The reader of a file by its suffix."""
    suffix = Path(path).suffix.lower()
    return added().get(suffix) or BUILT_IN.get(suffix)


@cache
def added() -> dict[str, Registered]:
    """The readers of installed packages by suffix; of several, that of the first package by name.

    What lies in the current folder is not installed: Python may look there for packages, but the
    folder may be one of somebody's documents.
    """
    here = os.path.realpath(os.curdir)
    trusted = [entry for entry in sys.path if entry and os.path.realpath(entry) != here]
    readers = [
        (package.name, package.version, entry)
        for package in distributions(path=trusted)
        for entry in package.entry_points.select(group=GROUP)
    ]
    found: dict[str, Registered] = {}
    for name, version, entry in sorted(readers, key=lambda reader: reader[0]):
        suffix = f".{entry.name.lower().lstrip('.')}"
        found.setdefault(suffix, Registered(entry, True, f"{name} {version} {entry.value}"))
    return found


def identities() -> str:
    """Names the readers of installed packages: with others, files may give other texts."""
    return "\n".join(f"{suffix} {reader.identity}" for suffix, reader in sorted(added().items()))


def _checked(made: FileText) -> FileText:
    """What the reader of a package gives. Raises ValueError if it does not keep the rules."""
    text = made.text
    if normalise(text.replace(PAGE, "\n"))[0] != text.replace(PAGE, "\n"):
        raise ValueError("its reader gives a text that is not normalised")
    spans = [*made.protected, *((start, end) for _, _, start, end in flat(made.blocks))]
    spans += [(at, at) for at in made.line_starts]
    spans += [(at, at) for at, _, _ in made.headings]
    if any(not 0 <= start <= end <= len(text) for start, end in spans):
        raise ValueError("its reader gives a place outside of the text")
    for places in (made.line_starts, [at for at, _, _ in made.headings]):
        if any(at > after for at, after in pairwise(places)):
            raise ValueError("its reader gives places out of order")
    return replace(made, title=one_line(normalise(made.title)[0]))
