"""Finds the lines of a mail that hold its headers and the lines of its decoded texts."""

from __future__ import annotations

import re
from binascii import a2b_qp
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from email.message import EmailMessage, Message
from itertools import accumulate, pairwise

from ragcli.corpus.read.file_text import GrowingText

_LINE_END = re.compile(rb"\r\n|\r|\n")
# As in ``email.feedparser``: what is no header ends the headers, with or without an empty line.
_HEADER = re.compile(rb"From |[!-9;-~]*:|[\t ]")
_NO_BASE64 = re.compile(rb"[^A-Za-z0-9+/]")


class MailLines:
    """The lines of a message, counted from 0, with the place of each part of it."""

    def __init__(self, raw: bytes, message: EmailMessage) -> None:
        self._lines = _LINE_END.split(raw)
        # (first line, first line of the content, line after the last one) of each part
        self._places: dict[int, tuple[int, int, int]] = {}
        self._place(message, 0, len(self._lines))

    def of_header(self, name: str) -> int:
        """The line on which the first header of this name begins, 0 if there is none."""
        mark = name.lower().encode() + b":"
        heads = enumerate(self._lines)
        return next((at for at, line in heads if line[: len(mark)].lower() == mark), 0)

    def of_part(self, part: Message) -> int:
        """The line on which a part begins; 0 if the message is too damaged to find it."""
        return self._places.get(id(part), (0, 0, 0))[0]

    def of_content(self, part: Message) -> list[int]:
        """The line on which each line of a part's decoded content begins; at least one."""
        _, first, end = self._places.get(id(part), (0, 0, 0))
        encoded = self._lines[first:end]
        encoding = str(part.get("Content-Transfer-Encoding", "")).strip().lower()
        if encoding == "quoted-printable":
            return [first, *_unquoted(encoded, first)]
        if encoding == "base64":
            return [first, *_from_base64(encoded, first, part.get_payload(decode=True))]
        return list(range(first, max(end, first + 1)))

    def _place(self, part: Message, first: int, end: int) -> None:
        """Note where a part and the parts of it are, which are between its boundaries."""
        heads = range(first, end)
        content = next((at for at in heads if not _HEADER.match(self._lines[at])), end)
        if content < end and not self._lines[content]:
            content += 1
        self._places[id(part)] = (first, content, end)
        boundary = part.get_boundary()
        if not part.is_multipart() or part.get_content_maintype() != "multipart" or not boundary:
            return
        mark = b"--" + boundary.encode("utf-8", "surrogateescape")
        ends = (mark, mark + b"--")
        marks = [at for at in range(content, end) if self._lines[at].rstrip() in ends]
        for each, (above, below) in zip(part.get_payload(), pairwise([*marks, end]), strict=False):
            if isinstance(each, Message):
                self._place(each, above + 1, below)


def _unquoted(encoded: Sequence[bytes], first: int) -> Iterator[int]:
    """Yield the line on which each further line of quoted-printable text begins."""
    for at, line in enumerate(encoded, first):
        ends = len(_LINE_END.findall(a2b_qp(line + b"\n")))
        goes_on = line.rstrip(b" \t").endswith(b"=")
        yield from [at] * (ends - 1 + goes_on)
        if not goes_on:
            yield at + 1


def _from_base64(encoded: Sequence[bytes], first: int, content: object) -> Iterator[int]:
    """Yield the line on which each further line of a decoded content begins."""
    if not isinstance(content, bytes):
        return
    ends = [3 * n // 4 for n in accumulate(len(_NO_BASE64.sub(b"", line)) for line in encoded)]
    for end in _LINE_END.finditer(content):
        yield first + min(bisect_right(ends, end.end()), len(ends) - 1)


class LinedText:
    """Collects texts one below the other, with their lines in the file."""

    def __init__(self) -> None:
        self._text = GrowingText()
        self._starts: list[int] = []

    def write(self, text: str, lines: Sequence[tuple[int, int]], between: str) -> int:
        """Add a text below ``between``; ``lines``: (offset in it, line of the file), rising.

        Returns where it begins.
        """
        if self._text.parts:
            self._text.add(between)
        for at, line in lines:
            # Lines of the file without text begin where the next text does.
            self._starts += [self._text.length + at] * (line + 1 - len(self._starts))
        return self._text.add(text)

    @property
    def text(self) -> str:
        """All that was written."""
        return str(self._text)

    @property
    def line_starts(self) -> tuple[int, ...]:
        """See ``ParsedDocument``."""
        return tuple(self._starts) or (0,)
