"""Questions about two things, taken apart."""

from __future__ import annotations

import pytest

from ragcli.text.two_things import two_things


def test_both() -> None:
    """The same sentence is said of each."""
    found = two_things("Were both Gabriela Mistral and G. K. Chesterton authors?")
    assert found is not None and found.asks == "both"
    assert found.names == ("Gabriela Mistral", "G. K. Chesterton")
    assert found.claims == ("Gabriela Mistral was an author.", "G. K. Chesterton was an author.")


def test_the_same() -> None:
    """Each thing is asked about."""
    found = two_things("Are Nantong and Jingdezhen situated in the same province ?")
    assert found is not None and (found.asks, found.wanted) == ("same", "province")
    assert found.claims[0] == "What province is Nantong situated in?"


@pytest.mark.parametrize(
    ("question", "names", "order"),
    [
        ("Who is older, Butch Carter or Cris Carter?", ("Butch Carter", "Cris Carter"), "first"),
        (
            "Which band was formed first The Exies or Circus Diablo ?",
            ("Exies", "Circus Diablo"),
            "first",
        ),
        ("Who is younger Stanley Kwan or Atom Egoyan?", ("Stanley Kwan", "Atom Egoyan"), "last"),
        ("Between TISM and Starsailor, which group has more members?", ("TISM", "Starsailor"), ""),
        (
            "Is the Nipponanthemum or Graptopetalum native to Japan?",
            ("Nipponanthemum", "Graptopetalum"),
            "",
        ),
    ],
)
def test_which_of_two(question: str, names: tuple[str, str], order: str) -> None:
    """With or without a comma, by time or not."""
    found = two_things(question)
    assert found is not None and found.asks == "which"
    assert (found.names, found.order) == (names, order)


def test_what_is_known_settles_where_a_name_ends() -> None:
    """Adjectives and places beside a name look like parts of it."""
    titles = {"Wayne Black", "Jonathan Marray", "Henry Roth", "Robert Erskine Childers"}
    found = two_things("Are both Jonathan Marray and Wayne Black British?", lambda n: n in titles)
    assert found is not None and found.claims[1] == "Wayne Black is British."
    asked = "Which writer was from England, Henry Roth or Robert Erskine Childers?"
    found = two_things(asked, lambda n: n in titles)
    assert found is not None and found.claims[0] == "Henry Roth was from England."


@pytest.mark.parametrize(
    "question",
    [
        "Who met Ada Fell and Per Lund?",
        "What synthetic stimulant is sometimes called flaka or gravel?",
        "How do I turn an ordinary chronyd into an NTP server?",
        "Lil Caesars and Pizza Hut were founded in the 1950s. Which was first to serve pizza?",
        "Which option makes scp fall back or stop?",
        "",
    ],
)
def test_other_questions(question: str) -> None:
    """Not every "and" and "or" joins two things to compare."""
    assert two_things(question) is None
