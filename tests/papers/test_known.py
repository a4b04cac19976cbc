"""Facts of the graph beside the passages of a context."""

from ragcli.papers.known import FACTS_SHARE, fit_all
from ragcli.types import Fact, Hit


def words(text: str) -> int:
    """Count words: the tokens of these tests."""
    return len(text.split())


def test_facts_take_their_share_and_repeat_nothing() -> None:
    """A sentence of a part, or of an earlier fact, is not said again; the budget holds."""
    hit = Hit(
        "a:0", "a.txt", "A", 0, 45, 1, 1, "The ferry sails at nine. It is called Aurora.", 1, 1
    )
    facts = [
        Fact("entity", 0, "Aurora", "It is called Aurora. She was built in Genoa."),
        Fact("entity", 1, "Ships", "She was built in Genoa. Ships need a harbour."),
        Fact("relation", 0, "Aurora – Genoa", "in one sentence"),
        Fact("relation", 0, "Ferry – Genoa", "in one sentence"),
        Fact("entity", 0, "Ferry", "The ferry sails at nine."),
    ]
    context = fit_all([hit], facts, 600, words)
    assert context.entities == ("Aurora: She was built in Genoa.", "Ships: Ships need a harbour.")
    assert context.relations == (
        "Aurora – Genoa: in one sentence",
        "Ferry – Genoa: in one sentence",
    )
    said = [part.text for part in context.parts] + [*context.entities, *context.relations]
    assert context.tokens == sum(map(words, said)) <= 600
    assert fit_all([hit], facts, 9, words).tokens <= 9


def test_long_facts_give_whole_sentences_and_entities_leave_room() -> None:
    """Of 10 words, single entities get 6; what does not fit is cut behind a sentence."""
    facts = [
        Fact("entity", 0, "Aurora", "She was built here. She sails at nine in the morning."),
        Fact("entity", 0, "Ferry", "It waits."),
        Fact("entity", 1, "Ships", "They wait here."),
    ]
    budget = round(10 / FACTS_SHARE) + 1
    context = fit_all([], facts, budget, words)
    assert context.entities == ("Aurora: She was built here.", "Ships: They wait here.")
