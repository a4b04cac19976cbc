"""Reads e-mail (.eml, .mbox): subject, people and text; attachments are documents of their own."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from email import errors, message_from_bytes, policy
from email.message import EmailMessage
from itertools import chain, count
from pathlib import PurePosixPath

from ragcli.corpus.normalised_text import normalise
from ragcli.corpus.printable import on_a_line
from ragcli.corpus.read.decode import (
    BINARY,
    EMPTY,
    bytes_of,
    decode,
    is_binary,
    web_encoding,
)
from ragcli.corpus.read.html import document_of
from ragcli.errors import ReadError
from ragcli.text.words import one_line
from ragcli.types import ParsedDocument, Skipped, Source
from ragcli.types.document_ids import file_id

_SHOWN = ("From", "To", "Cc", "Date", "Subject")
_FROM = re.compile(rb"^From [^\n]*\n(?=[!-9;-~]+:)", re.MULTILINE)
_QUOTED_FROM = re.compile(rb"^>(?=>*From )", re.MULTILINE)
_MOST_PARTS = 1000
_CALENDAR = "text/calendar"
_INVITATION = "invitation.ics"


def read_eml(source: Source) -> Iterator[ParsedDocument | Skipped | Source]:
    """Yield the document of a message, and its attachments as sources to be read."""
    raw = bytes_of(source)
    if not raw.strip():
        yield Skipped(source.id, EMPTY)
        return
    if is_binary(raw):
        yield Skipped(source.id, BINARY)
        return
    message = _parsed(raw)
    if not any(name in message for name in (*_SHOWN, "Received", "Message-ID")):
        raise ReadError(f"{source.id} is not an e-mail: it has no header")
    yield from _documents(source, source.id, message, 1)


def read_mbox(source: Source) -> Iterator[ParsedDocument | Skipped | Source]:
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
        message = _parsed(_QUOTED_FROM.sub(b"", raw[match.end() : end]))
        yield from _documents(source, f"{source.id}#{number}", message, line)


def _after_gap(raw: bytes, match: re.Match[bytes]) -> bool:
    """Return whether an empty line precedes: otherwise "From " begins a line of a message."""
    return raw[max(match.start() - 3, 0) : match.start()].replace(b"\r", b"").endswith(b"\n\n")


def _parsed(raw: bytes) -> EmailMessage:
    message = message_from_bytes(raw, policy=policy.default)
    assert isinstance(message, EmailMessage)
    return message


def _documents(
    source: Source, id_: str, message: EmailMessage, line: int
) -> Iterator[ParsedDocument | Skipped | Source]:
    """Yield the document of a message, then its attachments."""
    heads = [(name, _header(message, name)) for name in _SHOWN]
    subject = dict(heads)["Subject"]
    parts: list[str] = []
    attached: list[tuple[str, bytes]] = []
    _collect(message, parts, attached, [0])
    attached = [each for each in attached if not _is_sent_twice(each, attached)]
    names = [name for name, _ in attached]
    if names:
        parts.append(f"Attached: {', '.join(names)}")
    above = "\n".join(f"{name}: {value}" for name, value in heads if value)
    text = "\n\n".join(part.strip("\n") for part in (above, *parts) if part.strip())
    sha256 = hashlib.sha256(f"{subject}\0{text}".encode("utf-8", "replace")).hexdigest()
    # The lines of a message are encoded, so a citation names the line on which the message begins.
    if text:
        yield ParsedDocument(id_, sha256, subject, text, first_line=line)
    taken: set[str] = set()
    for name, content in attached:
        numbered = (f"{number}-{name}" for number in count(2))
        unique = next(x for x in chain((name,), numbered) if x not in taken)
        taken.add(unique)
        yield Source(f"{id_}#{file_id(unique)}", unique, len(content), source.mtime_ns, content)


def _is_sent_twice(each: tuple[str, bytes], attached: list[tuple[str, bytes]]) -> bool:
    """Whether it is an invitation without a name that is attached under a name as well."""
    name, content = each
    return name == _INVITATION and any(n != name and content == c for n, c in attached)


def _header(message: EmailMessage, name: str) -> str:
    try:
        value = str(message.get(name, ""))
    except (errors.MessageError, ValueError, LookupError, AttributeError, TypeError):
        value = next((str(v) for k, v in message.raw_items() if k.lower() == name.lower()), "")
    return one_line(normalise(value.encode("utf-8", "replace").decode())[0])


def _collect(
    part: EmailMessage, texts: list[str], attached: list[tuple[str, bytes]], seen: list[int]
) -> None:
    """Add the texts to read and the attachments of a message or a part of it."""
    seen[0] += 1
    if seen[0] > _MOST_PARTS:
        return
    kind = part.get_content_type()
    if kind == "multipart/alternative":
        choices = [inner for inner in part.iter_parts() if isinstance(inner, EmailMessage)]
        plain = [c for c in choices if c.get_content_type() == "text/plain" and _text(c).strip()]
        # An invitation is no other wording of the text.
        calendars = [c for c in choices if c.get_content_type() == _CALENDAR]
        wordings = [c for c in choices if c not in calendars]
        for inner in (*(plain[:1] or wordings[-1:]), *calendars):
            _collect(inner, texts, attached, seen)
    elif part.is_multipart() and kind != "message/rfc822":
        for each in part.iter_parts():
            if isinstance(each, EmailMessage):
                _collect(each, texts, attached, seen)
    elif (
        kind == "message/rfc822" or part.get_filename() or part.is_attachment() or kind == _CALENDAR
    ):
        _attach(part, attached)
    elif kind in ("text/plain", "text/html"):
        texts.append(_text(part))


def _attach(part: EmailMessage, attached: list[tuple[str, bytes]]) -> None:
    if part.get_content_type() == "message/rfc822":
        inner: object = part.get_payload()
        if isinstance(inner, list) and inner and isinstance(inner[0], EmailMessage):
            attached.append(("message.eml", bytes(inner[0])))
        return
    content = part.get_payload(decode=True)
    name = PurePosixPath(str(part.get_filename() or "").replace("\\", "/")).name
    kind = part.get_content_subtype()
    unnamed = _INVITATION if part.get_content_type() == _CALENDAR else f"unnamed.{kind}"
    if isinstance(content, bytes) and content:
        attached.append((on_a_line(one_line(name)) or unnamed, content))


def _text(part: EmailMessage) -> str:
    """Return the text of a part; HTML as a browser shows it."""
    content = part.get_payload(decode=True)
    if not isinstance(content, bytes):
        return ""
    charset = part.get_content_charset() or "utf-8"
    try:
        shown = content.decode(web_encoding(charset))
    except ValueError:
        shown = decode(content) or ""
    if part.get_content_type() == "text/html":
        (found,) = document_of("", "", shown)
        return found.text if isinstance(found, ParsedDocument) else ""
    return normalise(shown.encode("utf-8", "replace").decode())[0]
