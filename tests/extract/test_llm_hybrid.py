"""Hybrid extraction: what is proposed, what is asked, what is made of the replies."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcli.extract.llm import hybrid
from ragcli.extract.llm.grammar import copied, literal
from ragcli.extract.llm.propose import MAX_ENTITIES, MAX_PAIRS, propose
from ragcli.models.completion import Completion
from ragcli.types import Extraction, Mention

TEXT = (
    "# The ferry\n\nMara Linde, the captain of the Aurora, sold a very old boat to Jon Berg in May."
    " Jon Berg lives in Port Vale. Captain Linde was seen with Berg.\n\n"
    "- Also present: Ada Holm, Jon Berg and Mara Linde.\n"
)
SMALL, MIDDLE, LARGE = 135_000_000, 1_500_000_000, 3_000_000_000


def mentions(text: str, *names: tuple[str, str]) -> Extraction:
    """Mentions of the names wherever they stand, as a pipeline would give them."""
    found = [
        Mention(m.start(), m.end(), name, name, label, 0)
        for name, label in names
        for m in re.finditer(re.escape(name), text)
    ]
    return Extraction(tuple(sorted(found, key=lambda m: m.start)))


@pytest.fixture
def extraction() -> Extraction:
    names = [("Mara Linde", "PERSON"), ("Jon Berg", "PERSON"), ("Port Vale", "LOC")]
    return mentions(TEXT, *names, ("Aurora", "MISC"), ("Ada Holm", "PERSON"))


def said(*texts: str) -> list[Completion]:
    return [Completion(text, "stop", 1, 1) for text in texts]


def test_proposals_by_hand(extraction: Extraction) -> None:
    """Most connected first; a defining sentence is preferred; pairs know what stands between."""
    found = propose(TEXT, extraction)
    names = [e.name for e in found.entities]
    assert names[:2] == ["Jon Berg", "Mara Linde"] and "Port Vale" in names
    linde = found.entities[1]
    assert linde.type == "person" and linde.sentence.startswith("Mara Linde, the captain")
    pairs = {(p.source, p.target): p for p in found.pairs}
    assert pairs["Jon Berg", "Port Vale"].between == ("lives", "in")
    assert pairs["Aurora", "Jon Berg"].between[:2] == (",", "sold")
    # Two sentences hold both, and in the nearer one another name stands between in neither.
    assert pairs["Jon Berg", "Mara Linde"].sentences == 2
    assert pairs["Jon Berg", "Mara Linde"].sentence.startswith("Also present")


def test_proposals_are_bounded_and_found_without_a_pipeline() -> None:
    """Capitalised runs serve as well; lists of names make no pairs."""
    crowd = ", ".join(f"Ann B{chr(97 + i)}x" for i in range(20))
    text = f"Present were {crowd}. " + " ".join(
        f"Ann B{chr(97 + i)}x met Ann B{chr(98 + i)}x at noon." for i in range(18)
    )
    found = propose(text, Extraction(()))
    assert len(found.entities) == MAX_ENTITIES and 0 < len(found.pairs) <= MAX_PAIRS
    assert all("Present" not in p.sentence for p in found.pairs)
    assert (
        propose("Nothing is named here, in May 2019 or on Monday.", Extraction(())).entities == ()
    )


def test_a_small_model_is_asked_only_where_there_is_an_answer_to_copy(
    extraction: Extraction,
) -> None:
    """A definition and two relations are in the text; the words of short gaps are the label."""
    proposals = propose(TEXT, extraction)
    asked = hybrid.questions(proposals, SMALL)
    assert [p.user.splitlines()[1] for p in asked.prompts] == [
        "Mara Linde:",
        "Mara Linde | ? | Aurora",
        "Aurora | ? | Jon Berg",
    ]
    replies = said("the captain of the Aurora", "captain of", "sold")
    found = hybrid.findings(proposals, asked, replies, TEXT, "x")
    described = {e.name: e.description for e in found.entities}
    assert described["Mara Linde"] == "the captain of the Aurora"
    assert described["Port Vale"] == "Jon Berg lives in Port Vale."
    keywords = {(r.source, r.target): r.keywords for r in found.relations}
    assert keywords["Aurora", "Jon Berg"] == ("sold",)
    assert keywords["Jon Berg", "Port Vale"] == ("lives in",)
    assert keywords["Jon Berg", "Mara Linde"] == ()
    assert found.by == "x" and found.dropped == ()


def test_what_a_large_model_makes_up_is_dropped_and_counted(extraction: Extraction) -> None:
    """A description must be borne out by the text; else the text's own sentence stands."""
    proposals = propose(TEXT, extraction)
    asked = hybrid.questions(proposals, LARGE)
    assert len(asked.prompts) == len(proposals.entities) + len(proposals.pairs)
    replies = said(*["a wealthy smuggler from Lisbon"] * len(proposals.entities))
    replies += said(*["trade, boats | Mara Linde sold an old boat"] * len(proposals.pairs))
    replies[0] = Completion("an unfinished", "length", 1, 1)
    found = hybrid.findings(proposals, asked, replies, TEXT, "x")
    assert [e.description for e in found.entities] == [e.sentence for e in proposals.entities]
    assert found.relations[0].keywords == ("trade", "boats")
    assert found.relations[0].description == "Mara Linde sold an old boat"
    n = len(proposals.entities) - 1
    assert found.dropped == (("description not in the text", n), ("reply cut: length", 1))


def test_a_model_in_between_is_asked_as_a_small_one(extraction: Extraction) -> None:
    """It copies, too."""
    proposals = propose(TEXT, extraction)
    middle, small = (hybrid.questions(proposals, size) for size in (MIDDLE, SMALL))
    assert middle == small != hybrid.questions(proposals, LARGE)


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Mara Linde lives in Port Vale.", ("lives in",)),
        ("Mara Linde (seconded from Port Vale) slept.", ("seconded from",)),
        ("The captain (Mara Linde) lives in Port Vale.", ("lives in",)),
        ("Present: Mara Linde (chair), Port Vale.", ()),
        ("Mara Linde slept; Port Vale burnt.", ()),
        ("Mara Linde, section Port Vale", ()),
    ],
)
def test_few_words_are_a_label_where_they_belong_to_both(text: str, label: tuple[str]) -> None:
    """Not what stands in brackets after the first name, in another clause, or in a row."""
    proposals = propose(text, mentions(text, ("Mara Linde", "PERSON"), ("Port Vale", "LOC")))
    asked = hybrid.questions(proposals, SMALL)
    found = hybrid.findings(proposals, asked, said(*["x"] * len(asked.prompts)), text, "x")
    assert [r.keywords for r in found.relations] == [label]


def test_every_end_of_a_relation_is_an_entity(extraction: Extraction) -> None:
    """Those who read findings rely on it."""
    proposals = propose(TEXT, extraction)
    asked = hybrid.questions(proposals, SMALL)
    found = hybrid.findings(proposals, asked, said("the captain", "of", "sold"), TEXT, "x")
    names = {e.name for e in found.entities}
    assert all({r.source, r.target} <= names for r in found.relations)


WORD = st.text('ab",.\\', min_size=1, max_size=4)


def spoken(rules: str) -> set[str]:
    """All that a grammar of ``copied`` lets through."""
    lines = dict(line.split(" ::= ", 1) for line in rules.splitlines())

    def unquoted(quoted: str) -> str:
        return re.sub(r"\\(.)", r"\1", quoted[1:-1])

    def say(rule: str) -> set[str]:
        out = set()
        for way in re.findall(r'("(?:[^"\\]|\\.)*") (\w+)', lines[rule]):
            more = {""} if way[1] == "end" else say(way[1])
            out |= {unquoted(way[0]) + rest for rest in more}
        return out

    return set().union(*(say(head) for head in re.findall(r"w\w+", lines["root"])))


@given(
    st.lists(st.tuples(WORD, st.booleans(), st.booleans()), min_size=1, max_size=5),
    st.integers(1, 4),
)
def test_a_copying_grammar_says_exactly_the_runs(
    words: list[tuple[str, bool, bool]], longest: int
) -> None:
    """Against the plain enumeration of all runs that may start and end so."""
    plain = [w for w, _, _ in words]
    runs = {
        " ".join([*plain[i:j], plain[j].strip(",;:.!?()")])
        for i in range(len(words))
        for j in range(i, min(i + longest, len(words)))
        if words[i][1] and words[j][2] and plain[j].strip(",;:.!?()")
        if not any(word.endswith((",", ";", ":")) for word in plain[i:j])
    }
    starts, ends = [s for _, s, _ in words], [e for _, _, e in words]
    if runs:
        assert spoken(copied(plain, longest, starts, ends)) == runs
    else:
        with pytest.raises(ValueError):
            copied(plain, longest, starts, ends)


def test_literals_are_escaped() -> None:
    """Quotes and backslashes of a text do not end the string."""
    assert literal('a"b\\c') == r'"a\"b\\c"'
