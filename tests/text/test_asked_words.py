"""Words of questions in other languages, and how much of them a text holds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcli.text.asked_words import asked_words
from ragcli.text.markup import is_heading
from ragcli.text.scripts import NAMES, language_of_question


@pytest.mark.parametrize(
    ("language", "question", "words"),
    [
        ("de", "Wie hoch ist der Turm aus Backstein?", ("turm", "backstein")),
        ("fr", "Comment s'appelait le dernier gardien ?", ("dernier", "gardien")),
        ("zh", "大桥花了多少银元？", ("大桥花", "银元")),
        ("ja", "もっとも古い時計はいつのものですか？", ("古", "時計")),
        ("ru", "Сколько путей на вокзале?", ("путеи", "вокзале")),
        ("de", "Was ist das?", ()),
    ],
)
def test_what_is_asked_about(language: str, question: str, words: tuple[str, ...]) -> None:
    """Without the words that only phrase a question."""
    assert asked_words(question, language).words == words


@pytest.mark.parametrize(
    ("language", "word", "text", "share"),
    [
        ("de", "Uhr", "Die Bahnhofsuhr steht.", 1),
        ("de", "Bahnhofsuhr", "Am Bahnhof.", 1),
        ("de", "Uhr", "Der Uhu ruft.", 0),
        ("de", "Rat", "Die Beratung endet.", 0),
        ("fr", "arrêtée", "Elle s'arrêta.", 1),
        ("fr", "mine", "Onze mineurs.", 0),
        ("ru", "построил", "Дом построен.", 1),
        ("ru", "маяк", "На маяке.", 1),
        ("zh", "变压器", "检查变压器的油温", 1),
        ("zh", "收割蜂蜜", "收割荆条蜂蜜", 1),
        ("zh", "台阶", "平台和阶梯", 0),
        ("ja", "橋", "吊り橋", 1),
        ("ar", "المنارة", "بُنِيَتِ مَنَارَةٌ", 1),
        ("hi", "किला", "कला", 0),
        ("hi", "किला", "पुराने किला में।", 1),
        ("ko", "등대는", "등대를 세웠다", 1),
        ("th", "ประภาคาร", "คนเฝ้าประภาคารออกจากเกาะ", 1),
        ("el", "φάρον", "Ο φάρος.", 1),
    ],
)
def test_what_a_text_holds(language: str, word: str, text: str, share: float) -> None:
    """Forms of a word, parts of German compounds, characters that stand together."""
    assert asked_words(f"x {word}", language).held_by(text)[-1] == share


@given(st.text(max_size=60), st.text(max_size=60), st.sampled_from(sorted(NAMES)))
def test_shares_lie_between_nothing_and_all(question: str, text: str, language: str) -> None:
    """Whatever the texts; a question holds itself."""
    asked = asked_words(question, language)
    held = asked.held_by(text)
    assert held.shape == (len(asked.words),) == (len(asked.weights),)
    assert ((held >= 0) & (held <= 1)).all()
    assert len(asked.written) == len(asked.words)


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Wer erfand die Dampfmaschine?", "de"),
        ("Was kostet der Eintritt in das Museum?", "de"),
        ("Wer gründete die Imkerei Vogt?", "de"),
        ("Wie viele Schüler besuchten die Schule?", "de"),
        ("Quand récolte-t-on le miel ?", "fr"),
        ("¿Cuánto cuesta la entrada?", "es"),
        ("Was there an avalanche without an alarm in 2022?", "en"),
        ("Who is Wer?", "en"),
        ("Die Hard director", "en"),
    ],
)
def test_the_language_of_a_question(question: str, language: str) -> None:
    """Short as it is; English where nothing else asks."""
    assert language_of_question(question) == language


def test_no_line_is_in_capitals_where_there_are_none() -> None:
    """Chinese sentences are no headings, lines in capitals are."""
    assert not is_heading("变压器室设在二号楼的地下层")
    assert not is_heading("אין כאן אותיות גדולות")
    assert is_heading("CHAPTER ONE") and is_heading("ГЛАВА") and is_heading("* * *")
