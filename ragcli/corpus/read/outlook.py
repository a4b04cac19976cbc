"""Reads mails that Outlook has saved (.msg), with python-oxmsg; attachments are documents.

The library reads the properties; what they mean as a mail is read as in any other mail.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import datetime
from email.message import EmailMessage
from email.utils import format_datetime
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from ragcli.corpus.normalised_text import normalise
from ragcli.corpus.read import mail
from ragcli.corpus.read.decode import bytes_of
from ragcli.corpus.read.file_text import FileText, damage
from ragcli.corpus.read.html import text_of
from ragcli.corpus.read.mail_fields import fields_of
from ragcli.corpus.read.mail_quotes import blocks_of_mail
from ragcli.text.terminal import harmless_line
from ragcli.text.words import one_line
from ragcli.types import ParsedDocument, Skipped, Source

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_HEADERS = 0x007D
_SHORT_NAME = 0x3704
_NO_YEAR = 1601
_MOST_ATTACHED = 1000


def read(source: Source) -> Iterator[ParsedDocument | Skipped | Source]:
    """Yield the document of a message and its attachments; other programs write text into ``.msg``.

    Raises Unreadable if the file is damaged.
    """
    raw = bytes_of(source)
    if not raw.startswith(_OLE):
        yield from mail.read_eml(source)
        return
    from oxmsg import Message

    with damage("a message", (Exception,)):  # the library can raise any error anywhere
        message = Message.load(raw)
        made = _document(source, message)
        attached = list(_attached(message))
    yield made if made.text else Skipped(source.id, "no text in it")
    yield from mail.attachments(source.id, attached, source.mtime_ns)


def _document(source: Source, message: Any) -> ParsedDocument:
    """The message as text: who, to whom, when and about what, the text, what is attached."""
    header = partial(mail.header, _heads(message))
    heads = [f"{name}: {value}" for name in mail.SHOWN if (value := header(name))]
    body = _body(message).strip("\n")
    head = "\n".join(heads)
    start = len(head) + 2 * bool(head)
    blocks = tuple(blocks_of_mail(body, start)) if body.strip() else ()
    names = ", ".join(name for name, _ in _attached(message))
    parts = (head, body if body.strip() else "", f"Attached: {names}" if names else "")
    text = "\n\n".join(filter(None, parts))
    made = FileText(text, header("Subject"), blocks=blocks, fields=fields_of(header))
    return made.document(source.id, hashlib.sha256(text.encode("utf-8", "replace")).hexdigest())


def _heads(message: Any) -> EmailMessage:
    """The headers as the servers wrote them, or what the properties say in their place."""
    written = message.properties.str_prop_value(_HEADERS) or ""
    heads = mail.parsed(f"{written.strip()}\n\n".encode("utf-8", "replace"))
    known = {
        "From": message.sender,
        "To": _recipients(message),
        "Date": _date(message.sent_date),
        "Subject": message.subject,
    }
    for name, value in known.items():
        if value and name not in heads:
            heads[name] = one_line(value)
    return heads


def _date(sent: datetime | None) -> str:
    """A date as mails have it; the earliest one that Outlook knows means that there is none."""
    return format_datetime(sent) if sent and sent.year > _NO_YEAR else ""


def _recipients(message: Any) -> str:
    found = ((one.name or "", one.email_address or "") for one in message.recipients)
    return ", ".join(f"{name} <{at}>" if at and at != name else name for name, at in found)


def _body(message: Any) -> str:
    """The text; HTML as a browser shows it. Outlook keeps one of them beside its rich text."""
    if plain := message.body:
        return normalise(plain)[0]
    page = message.html_body
    return text_of(page).text if page else ""


def _attached(message: Any) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of each attached file that has a content."""
    for one, _ in zip(message.attachments, range(_MOST_ATTACHED), strict=False):
        content = one.file_bytes
        given = one.file_name or one.properties.str_prop_value(_SHORT_NAME) or ""
        name = PurePosixPath(given.replace("\\", "/")).name
        if content:
            yield harmless_line(one_line(name)) or "unnamed", content
