"""Lines on purpose, and lines that only wrap."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragcli.text.line_ends import meant
from ragcli.text.sentences import sentences


def cut(text: str) -> list[str]:
    """The sentences themselves."""
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    "text",
    [
        "Name: sniffio\nVersion: 1.3.1\nSummary: Sniff out which async library it runs under",
        "2024-05-01 10:00:01 INFO the pump starts\n2024-05-01 10:00:02 WARN low oil\n"
        "2024-05-01 10:00:09 ERROR the pump has stopped",
        "[10:00:01] the pump starts\n[10:00:02] pumping now",
        "May  3 10:00:01 host sshd: in\nMay  3 10:00:07 host sshd: so",
        "id,name,price\n1,apple,3\n2,pear,44\n3,plum,5",
        "Mr Tom Wierzba\nSurvey Office\nKesselhorn Alpine Observatory\n4 March 2019",
        "# code:language\naa:Afar\nab:Abkhazian and others\nae:Avestan\naf:Afrikaans, Cape Dutch",
        "\n".join(["birth sin", "birthwort family", "biscuit", "bitter clover", "bit key"] * 2),
        "if found:\n    return 1\nprint('not found in any of them')\nreturn 0",
    ],
)
def test_each_meant_line_is_a_sentence(text: str) -> None:
    """Records, fields, log lines, addresses and code are cut at every line end."""
    assert cut(text) == [line.strip() for line in text.splitlines()]


WRAPPED = """\
The footbridge over the gorge was built by the company's own men in the
summer of 1911 and has been closed twice since then, both times after a
flood. It was opened again in May
and nobody has measured it since.
"""


def test_wrapped_prose_is_cut_at_stops_only() -> None:
    """One short line in a paragraph is an accident."""
    assert len(cut(WRAPPED)) == 2


@pytest.mark.parametrize(
    "lines",
    [
        ["The mill,", "which was built in 1820 by the brothers Holm of Skive,", "burnt down."],
        [
            "- The mill was sold,",
            "  because nobody wanted it any more after the war,",
            "  and left.",
        ],
        ["1. Press the button", "   until the lamp beside the door of the engine room is lit."],
        [
            "Die Mühle am Fluss,",
            "die im Jahr 1820 von Brüdern erbaut wurde,",
            "brannte ab.",
        ],
        [
            "A backup is a snapshot of the folders",
            "that are named on the command line",
            "at the time at which the command was begun, with all their files.",
        ],
    ],
)
def test_a_sentence_goes_on_across_clauses(lines: list[str]) -> None:
    """However much room a line has for the next; in a paragraph and in an item of a list."""
    text = "\n".join(lines)
    assert cut(text) == [text]
    if lines[0][0].isalpha():
        assert cut(f"{text}\nIt was rebuilt.") == [text, "It was rebuilt."]


@pytest.mark.parametrize(
    "text",
    [
        "It sits\nlooking over the harbor and the city\non silent\nhaunches now.",
        "Tyger Tyger,\nIn the forests of the deep and silent night\nWhat\nEye?",
        "Apples\npears\nplums and other things that grow on a tree",
        "apples,\npears,\nplums and other things that grow on a tree.",
        "Options:\nquiet: say nothing.\nloud: say all that is known about each of the files.",
        "git add\ngit commit --message 'The mill on the river'\ngit status\ngit push.",
        "| a | b\n| the mill which was built in 1820 | c.",
    ],
)
def test_verse_lists_and_tables_are_no_clauses(text: str) -> None:
    assert len(cut(text)) >= len(text.splitlines())


def test_a_paragraph_keeps_to_itself() -> None:
    """Fields above a paragraph do not make its lines meant, nor the other way round."""
    found = cut(f"Name: a\nVersion: 10.2\n\n{WRAPPED}\nfrom: here\nto: the other side")
    assert found[:2] == ["Name: a", "Version: 10.2"] and len(found) == 6


def test_list_items_may_wrap() -> None:
    """Short items are no sign that the second line of a long one is meant."""
    text = (
        "- salt\n- oil\n- a rope of at least thirty metres, and a second one for the sledge that\n"
        "  comes behind\n- tea"
    )
    assert cut(text)[2].endswith("comes behind") and len(cut(text)) == 4


WORD = st.text("abcdefgh", min_size=1, max_size=9)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(WORD, min_size=30, max_size=120), st.integers(40, 90))
def test_text_wrapped_at_any_width_is_never_meant(words: list[str], width: int) -> None:
    """The oracle is the wrapper: a line ends only where the next word does not fit."""
    lines = [""]
    for word in words:
        if len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] = f"{lines[-1]} {word}".strip()
        else:
            lines.append(word)
    if len(lines) > 2:
        assert not meant(lines)


LINKED = """\
The bridge collapsed in a storm on the third of May, and the report on it is
at https://example.org/reports/2019/bridges/collapse-of-the-footbridge-over-the-gorge.html
and says that the ropes had rusted through, which nobody had seen because the
railing covers them from both sides."""


def test_one_long_link_does_not_make_lines_meant() -> None:
    """A link is not cut, so its line says nothing about the width of the text."""
    assert not meant(LINKED.split("\n")) and len(cut(LINKED)) == 1


def test_one_line_in_ten_may_stand_out() -> None:
    """A line that was edited later and not wrapped again is an accident."""
    lines = [f"the men carried the {word} up to the hut before the snow came and" for word in WORDS]
    lines[4] += " then they went down into the valley again to fetch the others"
    assert not meant(lines)


WORDS = "rope stove lamp oil salt bread axe saw nails boards bed".split()


@pytest.mark.parametrize(
    "text",
    [
        "name,price\nsalt,3\noil,4\nbread,12",
        "name\tprice\nsalt\t3",
        "Item | Upper Limit\ncolumns per table | 1,600",
        "Code | Meaning\n40P01 | deadlock_detected\n40003 | statement_completion_unknown",
    ],
)
def test_rows_of_two_columns_are_rows(text: str) -> None:
    """A table of two columns is one, too."""
    assert cut(text) == text.splitlines()


def test_prose_with_a_comma_on_each_line_is_no_table() -> None:
    """A comma in prose is followed by a space."""
    text = (
        "When the ferry had left, nobody was on the quay any more but the\n"
        "harbour master, who counted his money, as he did every evening\n"
        "before he went home, and the dog that slept in front of his door,\n"
        "in the sun."
    )
    assert len(cut(text)) == 1


PAGE = """\
2 Results of the second survey
The footbridge over the gorge was built by the company's own men in the
summer of 1911 and has been closed twice since then, both times after a
flood.
Costs
Nobody has counted what the repairs cost, because the company pays its
men by the month and keeps no books about the work on the bridge itself."""


def test_a_page_without_empty_lines_is_cut_at_headings() -> None:
    """A short line before a capital ends what it belongs to."""
    found = cut(PAGE)
    assert found[0] == "2 Results of the second survey" and "Costs" in found
    assert len(found) == 4


MANUAL = """\
OPTIONS
       -l, --level level
              Sets the level of compression, from one, which is fastest, to
              nine, which takes longest and saves most
       -q     Says nothing about what is done.
       --wait
              Waits until the other process has released the lock of the file."""


def test_an_option_and_its_description() -> None:
    """The line of an option ends, although the description below it is wrapped."""
    found = cut(MANUAL)
    assert "-l, --level level" in found and "--wait" in found
    assert any("fastest, to\n              nine" in sentence for sentence in found)


def test_hanging_lines_stay_whole() -> None:
    """The second line of a reference is indented, too."""
    text = (
        "Smith, J. and Berg, A. 1999 The collapse of footbridges in the higher Alps and\n"
        "    what was learned from it"
    )
    assert len(cut(text)) == 1
