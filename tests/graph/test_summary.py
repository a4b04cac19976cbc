"""Extractive summaries."""

from hypothesis import given
from hypothesis import strategies as st

from ragcli.graph.summary import SummarySettings, summarise
from ragcli.text.sentences import sentences

TEXT = (
    "The ferry Aurora sails from Port Vale every morning. "
    "Its captain, Mara Linde, joined the ferry company in 2004. "
    "The weather was fine. "
    "The ferry company bought the Aurora for the Port Vale route. "
    "Someone ate a sandwich on the pier that day. "
    "Every morning the ferry carries mail from Port Vale to the islands. "
)
SMALL = SummarySettings(chars=140, sentences=2)


def test_a_short_text_is_its_own_summary() -> None:
    """Nothing is left out of a text that fits."""
    assert summarise(["One line."]) == "One line."


def test_central_sentences_are_chosen_in_their_order() -> None:
    """The sentences about the ferry stay, the sandwich goes."""
    found = summarise([TEXT], SMALL)
    assert "ferry" in found and "sandwich" not in found
    parts = [TEXT.index(" ".join(found[a:b].split())) for a, b in sentences(found)]
    assert parts == sorted(parts) and len(parts) == 2


def test_repetition_is_paid_for() -> None:
    """Two copies of the most central sentence are not both taken."""
    first = "The ferry Aurora carries mail and bread from Port Vale to the far islands."
    other = "Captain Linde keeps the ferry timetable of Port Vale in a blue notebook."
    found = summarise([f"{first} {first} {other} {first}"], SMALL)
    assert found.count("Aurora carries mail") == 1


@given(st.lists(st.text(max_size=400), max_size=6))
def test_limits_hold_for_any_text(texts: list[str]) -> None:
    """A summary never exceeds its length and two runs agree."""
    found = summarise(texts, SMALL)
    assert len(found) <= SMALL.chars
    assert found == summarise(texts, SMALL)
