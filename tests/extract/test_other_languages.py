"""Names and nouns of texts in other languages than English, by rules."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcli.extract.mentions import Extractor
from ragcli.extract.other_languages import read_other
from ragcli.models.pipeline_output import Read, Reading
from ragcli.retrieve.question import word_spans
from ragcli.text.scripts import language_of


def names_and_nouns(text: str) -> tuple[list[str], list[str]]:
    reading = read_other(text, language_of(text))
    return (
        [text[name.start : name.end] for name in reading.names],
        [noun.text for noun in reading.nouns],
    )


@pytest.mark.parametrize(
    ("text", "names", "nouns"),
    [
        (
            "Die Brücke über die Selle wurde gebaut. Es sprach Bürgermeister Karl von der Lind.",
            ["Bürgermeister Karl von der Lind"],
            ["Brücke", "Selle"],
        ),
        (
            "L'ingénieur Yves Lannec et la dame de Kerroc sont dans le phare.",
            ["Yves Lannec", "Kerroc"],
            [],
        ),
        ("Маяк построил инженер Иван Петров в городе Онега.", ["Иван Петров", "Онега"], []),
        (
            "白崎灯台は技師の村瀬誠一が設計した。北川さんはカメラを見た。",
            ["北川", "カメラ"],
            ["白崎灯台", "技師", "村瀬誠一", "設計"],
        ),
        (
            "变压器由工程师陆文博设计。每周检查变压器，并读《电工手册》。",
            ["陆文博", "电工手册"],
            ["变压器", "变压器"],
        ),
        ("Ο φάρος της Κερού χτίστηκε από τον Γιάννη Πέτρου.", ["Κερού", "Γιάννη Πέτρου"], []),
        ("등대는 높다. 김영수가 등대를 세웠다.", [], ["등대", "등대"]),
        ("कवि ने “नीला दीपस्तंभ” लिखा। दीपस्तंभ ऊँचा है। वह दीपस्तंभ है।", ["नीला दीपस्तंभ"], ["दीपस्तंभ"] * 2),
        (
            "بنى المهندس «برج البحر». المنارة عالية والمنارَة قديمة.",
            ["برج البحر"],
            ["المنارة", "والمنارَة"],
        ),
        ("ประภาคารเก่าสูงมาก คนเฝ้าประภาคารเก่าออกไป", [], ["ประภาคารเก่า"] * 2),
    ],
)
def test_names_and_nouns(text: str, names: list[str], nouns: list[str]) -> None:
    """Each script with its own signs of a name."""
    assert names_and_nouns(text) == (names, nouns)


def test_each_language_has_its_reader() -> None:
    """The English one for English, that of a language for it, and rules for the others."""
    said: list[tuple[str, str]] = []

    def reader(code: str) -> Read:
        def read(text: str) -> Reading:
            said.append((code, text))
            return Reading((), ())

        return read

    extract = Extractor(reader("en"), {"de": reader("de")})
    english, german = "The tower is high and the house is old.", "Der Turm ist hoch und alt."
    french = "La tour de Kerroc est dans la ville, et elle est vieille."
    assert extract(english).mentions == extract(german).mentions == ()
    assert [m.text for m in extract(french).mentions] == ["Kerroc"]
    assert said == [("en", english), ("de", german)]


def test_mentions_of_other_languages_have_sentences() -> None:
    """Offsets are those of the text, and the sentence is counted as everywhere."""
    text = "Das Haus ist alt. Es gehört der Familie Karl Lindner und ist nicht zu sehen."
    extraction = Extractor(lambda _: Reading((), ()))(text)
    (name,) = [m for m in extraction.mentions if m.label]
    assert (text[name.start : name.end], name.sentence) == ("Familie Karl Lindner", 1)


def test_a_question_without_spaces_has_words() -> None:
    """Each character is a word, so that a name inside a sentence can be looked up."""
    text = "谁看IBM灯塔 now?"
    assert [text[a:b] for a, b in word_spans(text)] == ["谁", "看", "IBM", "灯", "塔", "now"]
    assert word_spans("O'Brien of AT&T") == [(0, 7), (8, 10), (11, 15)]


@given(st.text(max_size=80), st.sampled_from(["de", "fr", "ru", "ja", "zh", "ko"]))
def test_names_and_nouns_lie_apart(text: str, language: str) -> None:
    """Whatever the text: spans are inside it, in order, and do not overlap."""
    reading = read_other(text, language)
    spans = [(name.start, name.end) for name in reading.names]
    spans += [(noun.start, noun.start + len(noun.text)) for noun in reading.nouns]
    end = 0
    for first, last in sorted(spans):
        assert end <= first < last <= len(text)
        end = last
