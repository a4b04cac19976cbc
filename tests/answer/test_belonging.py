"""Sentences that are shown together: steps, announced lines, reasons."""

from __future__ import annotations

from ragcli.answer import AnswerModels
from ragcli.answer.belonging import instructions, with_what_belongs
from ragcli.answer.candidates import all_candidates
from ragcli.answer.extractive import extractive
from ragcli.answer.view import look
from ragcli.models.open_reader import open_reader

from .makers import context_of, encode

GUIDE = (
    "Guide",
    "# Guide\n\n## How do I open the port?\n\nThe pump opens no port by itself. Add an allow "
    "line to the file. Then start the pump again.\n\n## Limits\n\nThe pump stores one limit for "
    "each table. Hence, no more than nine tables can be joined.\n\nTo have the old limit of "
    "all tables back after such an upgrade, add the following line to the file:\n\n"
    "    limit = 64\n",
)


def test_a_question_how_to_is_answered_with_the_steps() -> None:
    """The nearest sentence and those after it below its heading, no others."""
    question = "How do I open the port of the pump?"
    context = context_of(GUIDE)
    view = look(question, context, encode=encode, entities=(), pool=24)
    steps = [one.text for one in instructions(view)]
    assert "opens no port" in steps[0] and "allow line" in steps[1] and len(steps) <= 3
    assert not any("limit" in step for step in steps)
    reply = extractive(question, context, AnswerModels(encode, open_reader(), min_confidence=0.0))
    assert "Add an allow line" in reply.text


def test_what_a_colon_announces_and_what_hence_follows_from_are_shown() -> None:
    """Each once, in the passage's order."""
    sentences = all_candidates(context_of(GUIDE))
    (hence,) = [one for one in sentences if one.text.startswith("Hence")]
    assert [one.text.split()[0] for one in with_what_belongs([hence])] == ["The", "Hence,"]
    (colon,) = [one for one in sentences if one.text.endswith(":")]
    shown = with_what_belongs([colon])
    assert with_what_belongs(shown) == shown
    assert [one.text for one in shown][1:] == ["limit = 64"] and len(shown) == 2
    assert with_what_belongs([]) == []


RELEASE = (
    "pump-4.2.1",
    "# Release 4.2.1\n\nThe valve no longer leaks (CVE-2031-77001). Thanks go to Jon Aas for the "
    "report.\n",
)


def test_an_identifier_is_answered_although_the_reader_is_unsure() -> None:
    """Sentences about it are shown, with no short answer; not if the kind asked for is missing."""
    context = context_of(RELEASE)
    models = AnswerModels(encode, open_reader(), min_confidence=0.999)
    reply = extractive("Which CVEs were fixed in release 4.2.1?", context, models)
    assert not reply.abstained and "CVE-2031-77001" in reply.text and reply.short is None
    without = context_of((RELEASE[0], RELEASE[1].replace("(CVE-2031-77001)", "")))
    assert extractive("Which CVEs were fixed in release 4.2.1?", without, models).abstained
    assert extractive("When was the valve mended?", context, models).abstained
