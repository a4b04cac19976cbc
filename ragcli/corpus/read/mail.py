"""Reads e-mail (.eml, .mbox): subject, people and text; attachments are documents of their own."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from email import errors, message_from_bytes, policy
from email.message import EmailMessage
from functools import partial
from itertools import chain, count, repeat
from pathlib import PurePosixPath

from ragcli.corpus.normalised_text import normalise
from ragcli.corpus.read.decode import (
    BINARY,
    EMPTY,
    bytes_of,
    decode,
    is_binary,
    web_encoding,
)
from ragcli.corpus.read.html import text_of
from ragcli.corpus.read.mail_fields import fields_of
from ragcli.corpus.read.mail_lines import LinedText, MailLines
from ragcli.corpus.read.mail_quotes import blocks_of_mail
from ragcli.errors import ReadError
from ragcli.text.terminal import harmless_line
from ragcli.text.words import one_line
from ragcli.types import ParsedDocument, Skipped, Source
from ragcli.types.blocks import Block, flat
from ragcli.types.document_ids import file_id

Found = ParsedDocument | Skipped | Source

Marks = list[tuple[int, int]]
"""(offset in a text, line of the message from 0), rising."""

SHOWN = ("From", "To", "Cc", "Date", "Subject")
"""The headers that are part of the text."""
_FROM = re.compile(rb"^From [^\n]*\n(?=[!-9;-~]+:)", re.MULTILINE)
# The first line of a file that ``git format-patch`` writes.
_PATCH = re.compile(rb"From [0-9a-f]{40} Mon Sep 17 00:00:00 2001\r?\n")
_NAME = re.compile(rb"^([!-9;-~]+):", re.MULTILINE)
_HEADS = re.compile(rb"(?:[!-9;-~]+:[^\n]*\n(?:[ \t][^\n]*\n)*)+(?=\r?\n|\Z)")
_WRITTEN_BY_SERVERS = {b"date", b"received", b"message-id", b"delivered-to", b"return-path"}
_QUOTED_FROM = re.compile(rb"^>(?=>*From )", re.MULTILINE)
_MOST_PARTS = 1000
_CALENDAR = "text/calendar"
_INVITATION = "invitation.ics"


def read_eml(source: Source) -> Iterator[Found]:
    """Yield the document of a message, and its attachments as sources to be read."""
    raw = bytes_of(source)
    if not raw.strip():
        yield Skipped(source.id, EMPTY)
        return
    if is_binary(raw):
        yield Skipped(source.id, BINARY)
        return
    message = parsed(raw)
    if not any(name in message for name in (*SHOWN, "Received", "Message-ID")):
        raise ReadError(f"{source.id} is not an e-mail: it has no header")
    yield from _documents(source, source.id, message, MailLines(raw, message), 1)


def reader_of(head: bytes) -> Callable[[Source], Iterator[Found]] | None:
    """Return the reader of a file of an unknown format that begins like mail, else None.

    A message has a header that servers write. A patch is text, though it begins like a mailbox.
    """
    begin = _FROM.match(head)
    if begin and _PATCH.match(head):
        return None
    heads = _HEADS.match(head, begin.end() if begin else 0)
    names = {name.lower() for name in _NAME.findall(heads[0])} if heads else set()
    if b"from" not in names or not names & _WRITTEN_BY_SERVERS:
        return None
    return read_mbox if begin else read_eml


def read_mbox(source: Source) -> Iterator[Found]:
    """Yield a document per message, numbered from 1, and their attachments."""
    raw = bytes_of(source)
    if not raw.strip():
        yield Skipped(source.id, EMPTY)
        return
    starts = [
        match for match in _FROM.finditer(raw) if match.start() == 0 or _after_gap(raw, match)
    ]
    if not starts:
        raise ReadError(f'{source.id} is not a mailbox: no line begins with "From "')
    line, at = 1, 0
    for number, match in enumerate(starts, start=1):
        line += raw.count(b"\n", at, match.start())
        at = match.start()
        end = starts[number].start() if number < len(starts) else len(raw)
        content = _QUOTED_FROM.sub(b"", raw[match.end() : end])
        message = parsed(content)
        lines = MailLines(content, message)
        yield from _documents(source, f"{source.id}#{number}", message, lines, line + 1)


def _after_gap(raw: bytes, match: re.Match[bytes]) -> bool:
    """Return whether an empty line precedes: otherwise "From " begins a line of a message."""
    return raw[max(match.start() - 3, 0) : match.start()].replace(b"\r", b"").endswith(b"\n\n")


def _documents(
    source: Source, id_: str, message: EmailMessage, lines: MailLines, line: int
) -> Iterator[Found]:
    """Yield the document of a message that begins on a line of the file, then its attachments."""
    parts = _MessageParts(lines)
    parts.collect(message)
    subject = header(message, "Subject")
    text, blocks = _text_of(message, lines, parts)
    hashed = f"{subject}\0{line}{text.line_starts}\0{text.text}"
    sha256 = hashlib.sha256(hashed.encode("utf-8", "replace")).hexdigest()
    if text.text:
        yield ParsedDocument(
            id_,
            sha256,
            subject,
            text.text,
            text.line_starts,
            first_line=line,
            blocks=tuple(flat(blocks)),
            fields=fields_of(partial(header, message)),
        )
    attached = ((name, content) for name, content, _ in parts.attached)
    yield from attachments(id_, attached, source.mtime_ns)


def attachments(id_: str, files: Iterable[tuple[str, bytes]], changed: int) -> Iterator[Source]:
    """Yield the files of a message, each with a name of its own; ``changed``: its time."""
    taken: set[str] = set()
    for name, content in files:
        numbered = (f"{number}-{name}" for number in count(2))
        unique = next(x for x in chain((name,), numbered) if x not in taken)
        taken.add(unique)
        yield Source(f"{id_}#{file_id(unique)}", unique, len(content), changed, content)


def parsed(raw: bytes) -> EmailMessage:
    """A message from its bytes."""
    message = message_from_bytes(raw, policy=policy.default)
    assert isinstance(message, EmailMessage)
    return message


def _text_of(
    message: EmailMessage, lines: MailLines, parts: _MessageParts
) -> tuple[LinedText, list[Block]]:
    """The headers that are shown, in the order of the file, the texts, and what is attached; and
    what is quoted in the texts."""
    made, blocks = LinedText(), list[Block]()
    heads = [(lines.of_header(name), name, header(message, name)) for name in SHOWN]
    for line, name, value in sorted(heads, key=lambda head: head[0]):
        if value:
            made.write(f"{name}: {value}", [(0, line)], "\n")
    for text, marks in parts.texts:
        if text.strip():
            blocks += blocks_of_mail(text, made.write(text, marks, "\n\n"))
    if parts.attached:
        names = ", ".join(name for name, *_ in parts.attached)
        made.write(f"Attached: {names}", [(0, parts.attached[0][2])], "\n\n")
    return made, blocks


def header(message: EmailMessage, name: str) -> str:
    """A header on one line, decoded; "" without one."""
    try:
        value = str(message.get(name, ""))
    except (errors.MessageError, ValueError, LookupError, AttributeError, TypeError):
        value = next((str(v) for k, v in message.raw_items() if k.lower() == name.lower()), "")
    return one_line(normalise(value.encode("utf-8", "replace").decode())[0])


class _MessageParts:
    """The texts to read, with their lines, and the attachments of a message."""

    def __init__(self, lines: MailLines) -> None:
        self._lines = lines
        self._seen = 0
        self.texts: list[tuple[str, Marks]] = []
        self._attached: list[tuple[str, bytes, int]] = []

    @property
    def attached(self) -> list[tuple[str, bytes, int]]:
        """Name, content and line of each; not an invitation without a name that has one, too."""
        named = {content for name, content, _ in self._attached if name != _INVITATION}
        return [each for each in self._attached if each[0] != _INVITATION or each[1] not in named]

    def collect(self, part: EmailMessage) -> None:
        """Add a message or a part of it."""
        self._seen += 1
        if self._seen > _MOST_PARTS:
            return
        kind = part.get_content_type()
        if kind == "multipart/alternative":
            for inner in _wordings(part):
                self.collect(inner)
        elif part.is_multipart() and kind != "message/rfc822":
            for each in part.iter_parts():
                if isinstance(each, EmailMessage):
                    self.collect(each)
        elif kind in ("message/rfc822", _CALENDAR) or part.get_filename() or part.is_attachment():
            self._attached += [(*file, self._lines.of_part(part)) for file in _files(part)]
        elif kind in ("text/plain", "text/html"):
            self.texts.append(_text(part, self._lines.of_content(part)))


def _wordings(part: EmailMessage) -> list[EmailMessage]:
    """One of the wordings of a text, plain if possible, and the invitations, which are no other."""
    choices = [inner for inner in part.iter_parts() if isinstance(inner, EmailMessage)]
    calendars = [c for c in choices if c.get_content_type() == _CALENDAR]
    wordings = [c for c in choices if c not in calendars]
    plain = [c for c in wordings if c.get_content_type() == "text/plain" and _shown(c).strip()]
    return [*(plain[:1] or wordings[-1:]), *calendars]


def _files(part: EmailMessage) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of an attachment that has a content."""
    if part.get_content_type() == "message/rfc822":
        inner: object = part.get_payload()
        if isinstance(inner, list) and inner and isinstance(inner[0], EmailMessage):
            yield "message.eml", bytes(inner[0])
        return
    content = part.get_payload(decode=True)
    name = PurePosixPath(str(part.get_filename() or "").replace("\\", "/")).name
    kind = part.get_content_subtype()
    unnamed = _INVITATION if part.get_content_type() == _CALENDAR else f"unnamed.{kind}"
    if isinstance(content, bytes) and content:
        yield harmless_line(one_line(name)) or unnamed, content


def _text(part: EmailMessage, lines: Sequence[int]) -> tuple[str, Marks]:
    """The text of a part, HTML as a browser shows it; ``lines``: of its content in the file."""
    shown = _shown(part)
    if part.get_content_type() == "text/html":
        found = text_of(shown)
        text, starts = found.text, found.line_starts
    else:
        text, starts = normalise(shown.encode("utf-8", "replace").decode())
    begin = len(text) - len(text.lstrip("\n"))
    placed = zip(starts, chain(lines, repeat(lines[-1])), strict=False)
    text = text.strip("\n")
    marks = [(max(at - begin, 0), line) for at, line in placed]
    return text, [mark for mark in marks if mark[0] < len(text)]


def _shown(part: EmailMessage) -> str:
    """The decoded content of a part."""
    content = part.get_payload(decode=True)
    if not isinstance(content, bytes):
        return ""
    charset = part.get_content_charset() or "utf-8"
    try:
        return content.decode(web_encoding(charset))
    except ValueError:
        return decode(content) or ""
