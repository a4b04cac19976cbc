"""One entity, many spellings."""

from ragcli.graph.resolve import Resolved, resolve, run_mentions, winner
from ragcli.types import Extraction, Mention


def said(*names: tuple[str, str]) -> Extraction:
    """An extraction with one mention per (text, label), each in a sentence of its own."""
    mentions = []
    at = 0
    for i, (text, label) in enumerate(names):
        lemma = text if label else text.casefold()
        mentions.append(Mention(at, at + len(text), text, lemma, label, i))
        at += len(text) + 1
    return Extraction(tuple(mentions))


def keys(*names: tuple[str, str]) -> list[str]:
    """Entity keys of the mentions, in order."""
    return [m.key for m in resolve([said(*names)])[0]]


def test_parts_of_a_persons_name_lead_to_the_person() -> None:
    """Elizabeth and Bennet both mean the only Elizabeth Bennet of the document."""
    found = keys(("Elizabeth Bennet", "PERSON"), ("Elizabeth", "PERSON"), ("Miss Bennet", "PERSON"))
    assert found == ["elizabeth bennet"] * 3


def test_a_name_that_two_people_share_stays_itself() -> None:
    """With two Bennets in the document, Bennet alone is neither."""
    found = keys(("Jane Bennet", "PERSON"), ("Elizabeth Bennet", "PERSON"), ("Bennet", "PERSON"))
    assert found == ["jane bennet", "elizabeth bennet", "bennet"]


def test_a_place_is_not_taken_for_a_part_of_a_person() -> None:
    """Paris the city is not Paris Hilton."""
    found = keys(("Paris Hilton", "PERSON"), ("Paris", "LOC"), ("Paris", "LOC"))
    assert found == ["paris hilton", "paris", "paris"]


def test_an_acronym_leads_to_the_name_it_abbreviates() -> None:
    """NFC is the one name with these initials."""
    found = keys(("Northern Ferry Cooperative", "ORG"), ("NFC", "ORG"))
    assert found == ["northern ferry cooperative"] * 2


def test_case_variants_meet_and_the_majority_names_the_type() -> None:
    """Two votes for ORG outweigh one for LOC; the noun does not vote."""
    found = resolve([said(("Acme", "ORG"), ("ACME", "ORG"), ("Acme", "LOC"), ("acme", ""))])[0]
    assert {m.key for m in found} == {"acme"}
    assert {m.label for m in found} == {"ORG"}


def test_ties_between_labels_do_not_hang_on_order() -> None:
    """The label that comes first in the alphabet wins a tie."""
    assert winner({"PERSON": 2, "LOC": 2, "": 9}) == "LOC"
    assert winner({"": 3}) == ""


def test_own_spellings_are_told_from_borrowed_ones() -> None:
    """A part of a name is not the entity's own spelling."""
    found = resolve([said(("Ana Ruiz", "PERSON"), ("Ruiz", "PERSON"))])[0]
    assert [m.own for m in found] == [True, False]


def test_what_the_pipeline_found_is_not_found_again() -> None:
    """A run with the very span of a labelled mention adds nothing; aliases lead to their owner."""
    text = "She met Ann Lee. Then Lee left Rome."
    ann = Resolved(0, 0, 8, 15, "ann lee", "Ann Lee", "PERSON")
    found = run_mentions([text], [ann], {"lee": "ann lee"})
    assert [(m.key, m.label, m.own) for m in found] == [
        ("ann lee", "", False),
        ("rome", "", True),
    ]


def test_code_and_addresses_hold_no_runs() -> None:
    """What the extractor does not read is not read here."""
    assert run_mentions(["See `Big Thing` at https://Example.org/Big now."], [], {}) == []
