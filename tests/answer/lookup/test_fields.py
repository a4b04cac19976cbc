"""Values of labels: what a question has to say, and what a row has to hold, for one to answer."""

from __future__ import annotations

import pytest

from ragcli.answer.lookup.fields import field_answer

from ..makers import context_of

PHONES = (
    "phones",
    "- Name: Joe Kettle; Department: Stores; Extension: 115; Room: 0.01\n"
    "- Name: Ada Fell; Department: Sales; Extension: 222; Room: 1.12\n",
)
PRICES = (
    "prices",
    "- Article: TG-100; Price GBP: 1840; Weight kg: 14.5\n"
    "- Article: TG-220; Price GBP: 2975; Weight kg: 6.2\n"
    "- Article: TG-222; Price GBP: 2975; Weight kg: 2.6\n",
)
SUPPLIERS = (
    "suppliers",
    "- Supplier: Castell; Country: Norway; Contact: Owen Rees\n"
    "- Supplier: Orre; Country: Sweden; Contact: Eva Berg\n"
    "- Supplier: Nord; Country: Norway; Contact: Tor Haug\n",
)
CRANES = (
    "cranes",
    "- Crane: North, with a roof; Load: 12; Keeper: Ane Holm\n"
    "- Crane: South; Load: 7; Keeper: Jon Berg\n",
)
LETTER = (
    "letter to Ann",
    "Tidewell Ltd\n\nMs Ann Lind\n\n4 May 2024\n\nDear Ms Lind,\n\nwelcome.\n\n"
    "Yours sincerely,\n\nRuth Amadi\nHead of Personnel\n",
)
OTHER = (
    "letter to the hotel",
    "Heron Hotel\n\nTo Tidewell Ltd\n\nYour bill is due.\n\nYours faithfully,\n\nMary Tench\n",
)
MINUTES = (
    "Board meeting",
    "Date: 16 April 2024\n\nPresent: Sir Leonard Fay (chair), Claire Donnelly and Per Lund\n"
    "Apologies: Ruth Amadi\nMinutes: Eva Berg, Secretary\n\nThe next meeting is in June 2024.\n",
)
AGREEMENT = (
    "Agreement",
    "Parties: Tidewell Ltd (Client) and Bright Cooperative, 3 Mill Lane, Penhallow.\n\n"
    "Signed for Tidewell: Ruth Amadi, Technical Director\n\nSigned for Bright: Dolores Quint\n",
)
BILL = ("Talbot", "Invoice date: 30 June 2023\nFor: a trip\nTotal amount: 322.00 euros\n")
ALL = (PHONES, PRICES, SUPPLIERS, CRANES, LETTER, OTHER, MINUTES, AGREEMENT, BILL)


def answered(question: str) -> list[str]:
    """The values found among all documents."""
    found = field_answer(question, context_of(*ALL).parts)
    return [place.text for place in found.places] if found else []


@pytest.mark.parametrize(
    ("question", "values"),
    [
        ("What is Joe Kettle's extension?", ["115"]),
        ("In which room is Ada Fell?", ["1.12"]),
        ("How much does the TG-100 cost?", ["1840"]),
        ("Which article weighs 6.2 kg?", ["TG-220"]),
        ("Who is the contact at Orre?", ["Eva Berg"]),
        ("Who keeps the North crane?", ["Ane Holm"]),
        ("Which suppliers are in Norway?", ["Castell", "Nord"]),
        ("Who signed the letter to Ann Lind?", ["Ruth Amadi"]),
        ("Who signed the letter of the Heron Hotel?", ["Mary Tench"]),
        (
            "Who was present at the board meeting of 16 April 2024?",
            ["Sir Leonard Fay", "Claire Donnelly", "Per Lund"],
        ),
        ("Who sent apologies to the board meeting?", ["Ruth Amadi"]),
        ("Who are the parties to the agreement?", ["Tidewell Ltd", "Bright Cooperative"]),
        ("What is the total amount of the invoice of Talbot?", ["322.00 euros"]),
        ("Who signed the agreement for Tidewell?", ["Ruth Amadi"]),
        ("Who signed the agreement for Bright?", ["Dolores Quint"]),
    ],
)
def test_a_label_that_is_asked_for_answers(question: str, values: list[str]) -> None:
    """The question asks for the label, and its row or document holds the rest."""
    assert answered(question) == values


@pytest.mark.parametrize(
    "question",
    [
        "What is Joe Berg's extension?",  # no such row
        "How much does the TG-400 cost?",  # no such article
        "Which article weighs 2.6 g of gold?",  # more is asked than the row tells
        "Who is the contact in Norway?",  # two rows, and one is asked for
        "When was the board meeting in July 2024?",  # another month
        "Who was present at the board meeting of 16 May 2024?",
        "Which university did Ada Fell attend?",  # the noun asked for is no label
        "When was Ada Fell hired?",
        "Who signed the contract with the Heron Hotel?",  # a letter, no contract
        "Why did Joe Kettle leave?",
        "Joe Kettle",
        "What is the default price of the article TG-100?",
    ],
)
def test_what_is_not_told_is_not_answered(question: str) -> None:
    """A name, number or month of the question that is not there, or no label for it."""
    assert answered(question) == []


def test_the_places_are_the_documents_characters() -> None:
    """A list keeps the place of each item, and says that it is one."""
    context = context_of(*ALL)
    found = field_answer("Which suppliers are in Norway?", context.parts)
    assert found is not None and found.listed and 0.5 < found.confidence < 1
    for place in found.places:
        assert SUPPLIERS[1][place.start : place.end] == place.text


def test_a_list_below_its_label_has_an_item_a_line() -> None:
    """With what stands after a comma left out: what somebody is."""
    text = "Safety committee\n\nIn attendance:\n  Joe Kettle (convenor)\n  Ada Fell, Fire Officer\n"
    found = field_answer("Who attended the safety committee?", context_of(("notes", text)).parts)
    assert found and [place.text for place in found.places] == ["Joe Kettle", "Ada Fell"]
