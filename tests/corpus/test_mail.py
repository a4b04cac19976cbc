"""Mails: Outlook's files, what is quoted, signatures, threads."""

from __future__ import annotations

from datetime import UTC, datetime
from email.message import EmailMessage
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from read_bytes import every, one

from ragcli.config import Settings
from ragcli.corpus.read import outlook
from ragcli.corpus.read.mail_quotes import blocks_of_mail
from ragcli.errors import ReadError
from ragcli.indexing.index import index
from ragcli.indexing.request import IndexRequest
from ragcli.store.snapshot import open_snapshot
from ragcli.types import ParsedDocument
from ragcli.types.blocks import abouts, tree

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
ATTRIBUTION = "On Mon, 2 Nov 2026 at 10:12, Ann Holm\n<ann@a.org> wrote:"
HEADS = "From: Ann Holm <ann@a.org>\nSent: Monday\nSubject: Pump"


def marked(text: str) -> list[tuple[str, str]]:
    """Kind and text of each block, with the texts of its parts below it."""
    blocks = [b for block in blocks_of_mail(f"{text}\n", 0) for b in (block, *block.parts)]
    return [(block.kind, text[block.start : block.end]) for block in blocks]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("No quote > here.\n--\nThree", [("signature", "--\nThree")]),
        (f"Yes.\n\n{ATTRIBUTION}\n\n> Is it?\n>\n> > No.", [("quote", "> Is it?\n>\n> > No.")]),
        ("> One?\nYes.\n> Two?\nNo.", [("quote", "> One?"), ("quote", "> Two?")]),
        (
            "Hi\n-- \nBob\nSkive\n\nAnn wrote:\n> Is it?",
            [("signature", "-- \nBob\nSkive"), ("quote", "> Is it?")],
        ),
        (f"See below.\n\n{HEADS}\n\nMended.", [("quote", f"{HEADS}\n\nMended."), ("lead", HEADS)]),
        (
            "Hi\n----- Weitergeleitet -----\nVon: Ann\nAn: Bob\nBetreff: Pumpe\n\nGut.",
            [
                ("quote", "----- Weitergeleitet -----\nVon: Ann\nAn: Bob\nBetreff: Pumpe\n\nGut."),
                ("lead", "----- Weitergeleitet -----\nVon: Ann\nAn: Bob\nBetreff: Pumpe"),
            ],
        ),
        ("Name: Ann\nTown: Skive\nYear: 1912\n\nThat is all.", []),
        ("--\n" + "\n".join(f"Line {n}" for n in range(20)), []),
    ],
)
def test_what_the_writer_did_not_write_now(text: str, expected: list[tuple[str, str]]) -> None:
    """Quotes by their marks or by the heads of a mail, the signature by its dashes."""
    assert marked(text) == expected


def test_a_quote_says_who_wrote_it() -> None:
    """A hit in it knows the line above; a hit in the reply does not take it for its own."""
    body = f"Subject: Pump\nFrom: bob@b.org\n\nIt is mended.\n\n{ATTRIBUTION}\n> Is it broken?\n"
    found = one("a.eml", body.encode())
    from ragcli.corpus.blocks import blocks_of

    at = found.text.index("> Is it broken?")
    (said,) = abouts(blocks_of(found), at, at + 10)
    assert found.text[said.start : said.end] == ATTRIBUTION
    assert not list(abouts(blocks_of(found), found.text.index("It is"), at - 60))


def letter(n: int, *above: int) -> EmailMessage:
    """The n-th mail of a thread, below others."""
    made = EmailMessage()
    made["From"], made["To"] = f"Writer {n} <w{n}@a.org>", "Ann Holm <ann@a.org>"
    made["Date"] = datetime(2026, 11, n, 9, tzinfo=UTC)
    made["Subject"] = "Re: " * bool(above) + "Pump"
    made["Message-ID"] = f"<{n}@a.org>"
    if above:
        made["References"] = " ".join(f"<{at}@a.org>" for at in above)
        made["In-Reply-To"] = f"<{above[-1]}@a.org>"
    made.set_content(f"Word number {n}.\n")
    return made


def test_people_dates_and_the_thread_are_fields() -> None:
    """A scope selects by them; the first id that is referred to names the thread."""
    found = one("a.eml", letter(3, 1, 2).as_bytes())
    assert found.fields == (
        ("from", "Writer 3 <w3@a.org>"),
        ("to", "Ann Holm <ann@a.org>"),
        ("date", "2026-11-03"),
        ("message-id", "3@a.org"),
        ("in-reply-to", "2@a.org"),
        ("thread", "1@a.org"),
    )
    damaged = b"Date: never\nFrom: <<\nMessage-ID: none\nSubject: x\n\ny"
    assert all(name == "from" for name, _ in one("a.eml", damaged).fields)


def test_a_thread_is_known(tmp_path: Path) -> None:
    """Also over files of several kinds; a mail that is not there is not named."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "first.eml").write_bytes(letter(1).as_bytes())
    mails = (b"From x\n" + letter(n, *above).as_bytes() for n, above in ((2, (1,)), (4, (1, 3))))
    (docs / "box.mbox").write_bytes(b"\n".join(mails))
    (docs / "other.eml").write_bytes(letter(5).as_bytes())
    index(IndexRequest(tmp_path / "store", (docs,)), Settings(workers=1))
    with open_snapshot(tmp_path / "store") as snapshot:
        thread = snapshot.facts.thread("box.mbox#1")
        assert [(mail.doc, mail.date, mail.reply_to) for mail in thread] == [
            ("first.eml", "2026-11-01", ""),
            ("box.mbox#1", "2026-11-02", "first.eml"),
            ("box.mbox#2", "2026-11-04", ""),
        ]
        assert [mail.doc for mail in snapshot.facts.thread("other.eml")] == ["other.eml"]
        assert snapshot.facts.reply_to("box.mbox#1") == "first.eml"
        assert snapshot.facts.thread("none") == [] and snapshot.facts.reply_to("none") == ""


def saved(**more: Any) -> Any:
    """What the library gives of a file that Outlook has saved."""
    file = SimpleNamespace(file_name="a\\prices.csv", file_bytes=b"Town,Price\nRibe,3\n")
    return SimpleNamespace(
        **{
            "sender": "Bob <bob@b.org>",
            "subject": "Pump",
            "sent_date": datetime(2026, 11, 2, tzinfo=UTC),
            "recipients": [SimpleNamespace(name="Ann", email_address="ann@a.org")],
            "properties": SimpleNamespace(str_prop_value=lambda _id: None),
            "body": "Mended.\r\n\r\n-- \r\nBob\r\n",
            "html_body": None,
            "attachments": [file],
        }
        | more
    )


def test_a_message_of_outlook(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its properties are read as a mail: headers, text, signature, fields, attachments."""
    import oxmsg

    def load(_raw: bytes, **more: Any) -> Any:
        return saved(**more)

    monkeypatch.setattr(oxmsg.Message, "load", load)
    mail, prices = every("a.msg", OLE)
    assert isinstance(mail, ParsedDocument) and isinstance(prices, ParsedDocument)
    assert mail.text.split("\n\n") == [
        "From: Bob <bob@b.org>\nTo: Ann <ann@a.org>\nDate: Mon, 02 Nov 2026 00:00:00 +0000\n"
        "Subject: Pump",
        "Mended.",
        "-- \nBob",
        "Attached: prices.csv",
    ]
    assert (mail.title, mail.fields[2]) == ("Pump", ("date", "2026-11-02"))
    assert [(b.kind, mail.text[b.start : b.end]) for b in tree(mail.blocks)] == [
        ("signature", "-- \nBob")
    ]
    assert prices.id == "a.msg#prices.csv" and "Ribe" in prices.text
    written = "Message-ID: <2@b>\r\nReferences: <1@a>\r\nSubject: =?utf-8?q?Pumpe_=C3=BC?=\r\n"
    props = SimpleNamespace(str_prop_value=lambda id_: written if id_ == 0x007D else None)
    page = "<p>In <b>HTML</b>.</p>"
    whole: dict[str, Any] = {
        "properties": props,
        "body": None,
        "html_body": page,
        "attachments": [],
    }
    monkeypatch.setattr(oxmsg.Message, "load", lambda raw: load(raw, **whole))
    (mail,) = every("a.msg", OLE)
    assert isinstance(mail, ParsedDocument)
    assert mail.title == "Pumpe ü" and "In HTML." in mail.text
    assert ("thread", "1@a") in mail.fields


def test_files_called_msg_that_are_none() -> None:
    """Text is read as a mail; damage is told."""
    assert one("a.msg", letter(1).as_bytes()).title == "Pump"
    with pytest.raises(ReadError, match=r"a\.msg is damaged or not a message"):
        every("a.msg", OLE + bytes(2000))
    assert outlook._date(datetime(1601, 1, 1, tzinfo=UTC)) == ""
