"""Calendars and address cards, also inside messages."""

from __future__ import annotations

import base64
from email.message import EmailMessage

import pytest
from hypothesis import given
from hypothesis import strategies as st
from read_bytes import every, one

from ragcli.corpus.normalised_text import line_of
from ragcli.corpus.read.rare.recurrence import recurrence, shown_time
from ragcli.types import ParsedDocument

EVENT = """BEGIN:VCALENDAR
VERSION:2.0
BEGIN:VTIMEZONE
TZID:Europe/Berlin
BEGIN:STANDARD
DTSTART:19701025T030000
COMMENT:never read
END:STANDARD
END:VTIMEZONE
BEGIN:VEVENT
ORGANIZER;CN="Abt, Lorenz":mailto:lorenz@example.org
DTSTART;TZID=Europe/Berlin:20260127T180000
RRULE:FREQ=MONTHLY;UNTIL=20261231;BYDAY=4TH
SUMMARY:Board meet
 ing\\, resin mill
LOCATION:Old mill
DESCRIPTION:Bring the plans.\\nThe lift is out of
  order.
ATTENDEE;CN=Ida Moor;ROLE=CHAIR:mailto:ida@example.org
ATTENDEE:mailto:ole@example.org
BEGIN:VALARM
DESCRIPTION:Reminder
END:VALARM
END:VEVENT
BEGIN:VTODO
DUE;VALUE=DATE:20260301
SUMMARY:Pay the tax
END:VTODO
END:VCALENDAR
"""


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_an_event_is_a_line_with_the_names_of_its_values(newline: str) -> None:
    found = one("a.ics", EVENT.replace("\n", newline).encode())
    lines = [line for line in found.text.split("\n") if line]
    assert lines == [
        "Event: Board meeting, resin mill; Location: Old mill; "
        "Start: 2026-01-27 18:00 (Europe/Berlin); "
        "Repeats: every month on the 4th Thursday, until 2026-12-31; "
        "Organiser: Abt, Lorenz <lorenz@example.org>; "
        "Attendee: Ida Moor <ida@example.org>, ole@example.org",
        "Description: Bring the plans. The lift is out of order.",
        "Task: Pay the tax; Due: 2026-03-01",
    ]
    assert line_of(found, found.text.index("Event:")) == 10
    assert line_of(found, found.text.index("Description:")) == 17
    assert [name for _, _, name in found.headings] == ["Board meeting, resin mill", "Pay the tax"]


def test_cards_of_two_versions() -> None:
    picture = base64.b64encode(b"x" * 60).decode()
    content = (
        "BEGIN:VCARD\nVERSION:3.0\nitem1.FN:Ane Holm\nORG:Ribe Harbour;Crane\\; Office\n"
        "TEL;TYPE=CELL,VOICE:+45 12\nADR;TYPE=work:;;Quay 3;Ribe;;6760;Denmark\n"
        f"BDAY:1970-05-02\nNOTE:Speaks Frisian.\nPHOTO;ENCODING=b:{picture}\nEND:VCARD\n"
        "BEGIN:VCARD\nVERSION:2.1\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=C3=98re;Kaj\n"
        "TEL;WORK;VOICE:77\nTITLE;QUOTED-PRINTABLE:Harbour=\n master\nEND:VCARD\n"
    )
    found = one("people.vcf", content.encode())
    assert [line for line in found.text.split("\n") if line] == [
        "Name: Ane Holm; Organisation: Ribe Harbour, Crane; Office; Telephone (cell): +45 12; "
        "Address (work): Quay 3, Ribe, 6760, Denmark; Birthday: 1970-05-02",
        "Note: Speaks Frisian.",
        "Name: Kaj Øre; Title: Harbour master; Telephone (work): 77",
    ]


@pytest.mark.parametrize(
    "content", ["##fileformat=VCFv4.2\n#CHROM\tPOS\n", "Our calendar: closed on Sunday.\n"]
)
def test_what_is_no_calendar_is_text(content: str) -> None:
    assert one("a.vcf", content.encode()).text == content


def test_a_cut_calendar_keeps_its_whole_entries() -> None:
    (found,) = every("a.ics", EVENT[: EVENT.index("END:VTODO")].encode())
    assert isinstance(found, ParsedDocument) and "Board meeting" in found.text
    assert "Pay the tax" not in found.text


@given(st.text(alphabet='BEGINVD:ST;="\\,\n \t19TH', max_size=80))
def test_any_text_is_read(content: str) -> None:
    """Never an error."""
    every("a.ics", f"BEGIN:VEVENT\n{content}\nEND:VEVENT".encode())


@pytest.mark.parametrize("attached", [False, True])
def test_an_invitation_in_a_message_is_read_once(attached: bool) -> None:
    message = EmailMessage()
    message["Subject"] = "Board meeting"
    message.set_content("Please come.")
    message.add_alternative("<p>Please come.</p>", subtype="html")
    message.add_alternative(EVENT, subtype="calendar")
    if attached:
        content = message.get_payload()[-1].get_payload(decode=True)  # type: ignore[union-attr, index]
        message.add_attachment(content, maintype="text", subtype="calendar", filename="invite.ics")
    found = [each for each in every("a.eml", bytes(message)) if isinstance(each, ParsedDocument)]
    name = "invite.ics" if attached else "invitation.ics"
    assert [each.id for each in found] == ["a.eml", f"a.eml#{name}"]
    assert "Please come." in found[0].text and "Board meeting, resin mill" in found[1].text


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,TH", "every 2 weeks on Tuesday and Thursday"),
        ("FREQ=YEARLY;BYMONTH=3,10", "every year in March and October"),
        ("FREQ=YEARLY;BYDAY=-1SU", "every year on the last Sunday"),
        ("FREQ=MONTHLY;BYMONTHDAY=1,22,-2", "every month on the 1st, 22nd and 2nd to last day"),
        ("FREQ=DAILY;COUNT=10", "every day, 10 times"),
        ("FREQ=DAILY;BYSETPOS=11;WKST=MO", "every day BYSETPOS=11"),
        ("nothing", ""),
    ],
)
def test_rules_of_recurrence_in_words(rule: str, words: str) -> None:
    assert recurrence(rule) == words


def test_times() -> None:
    assert shown_time("20260127T235900Z") == "2026-01-27 23:59 UTC"
    assert shown_time("--0502") == "--0502"
