"""Scripts without spaces, and the language of a text."""

from __future__ import annotations

import pytest

from ragcli.text.scripts import language_of, same_letters, spaced
from ragcli.text.sentences import sentences
from ragcli.text.words import content_words, fold, plain


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Who built the lighthouse?", "en"),
        ("What is Der Spiegel?", "en"),
        ("Los Angeles population", "en"),
        ("Le Monde", "en"),
        ("Wer leitet das Theater?", "de"),
        ("Welche Pflanzen pflegt Bruder Matthias?", "de"),
        ("Qui dirige le théâtre ?", "fr"),
        ("¿Quién dirige el teatro?", "es"),
        ("Chi dirige il teatro?", "it"),
        ("Waarom bleef de klok staan?", "nl"),
        ("变压器在哪里？", "zh"),
        ("灯台の高さは？", "ja"),
        ("Кто построил маяк?", "ru"),
        ("등대는 누가 세웠습니까?", "ko"),
        ("The word 灯塔 means lighthouse.", "en"),
        ("", "en"),
        ("1234", "en"),
    ],
)
def test_the_language_of_a_text(text: str, language: str) -> None:
    """English unless the script, the small words or a question word say otherwise."""
    assert language_of(text) == language


def test_a_german_document_with_english_words_is_german() -> None:
    """A few words of another language change nothing, in both directions."""
    german = "Der Server wird von dem Team gewartet. Das Update ist für die Nacht geplant, weil"
    assert language_of(f"{german} dann niemand im Büro ist.") == "de"
    english = "The firm Von der Heyde, der Alte, was founded in 1890 and is known for its books."
    assert language_of(english) == "en"


def test_words_inside_a_sentence_are_found() -> None:
    """Pairs of characters match wherever a word begins."""
    said = spaced("值班电工每周检查一次变压器的油温。").split()
    assert set(spaced("变压器").split()) <= set(said)
    assert content_words("绝缘电阻") == ["绝缘", "缘电", "电阻"]
    assert plain("天気") in plain("毎朝六時に天気を記録している。")
    assert plain("天文") not in plain("天気と文字")


def test_voiced_letters_are_other_letters() -> None:
    """Accents go, the marks of Japanese and the parts of Korean syllables stay."""
    assert fold("Café ガラス") == "cafe ガラス"
    assert fold("ガ") != fold("カ")
    assert fold("등대") == "등대"


def test_text_with_spaces_stays_as_it_is() -> None:
    """Nothing changes for scripts that separate words."""
    for text in ("Plain text.", "Größe über alles", "Кот спит"):
        assert spaced(text) == text


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("الْمَنَارَةُ", "منارة"),
        ("ﻣﻨﺎرة", "منارة"),
        ("أحمد", "احمد"),
        ("کتاب", "كتاب"),
        ("שָׁלוֹם", "שלום"),
        ("ёлка", "елка"),
    ],
)
def test_spellings_that_are_the_same(one: str, other: str) -> None:
    """For readers of the script, and so for the index."""
    assert one != other
    assert same_letters(one) == same_letters(other)


def test_signs_of_indian_and_thai_script_do_not_split_words() -> None:
    """Python's patterns see whole words, and other vowels make another word."""
    assert len(content_words("बिल्ली किले में")) == 3
    assert content_words("किला") != content_words("कला")
    assert same_letters("Größe café 灯塔 등대") == "Größe café 灯塔 등대"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("灯塔高四十一米。最后一位守塔人是谁？他走了！", 3),
        ("「もう遅い。」と彼は言った。雨が降る。", 2),
        ("もう遅い。とても寒い。", 2),
        ("Die Brücke wurde am 3. Mai 1928 geöffnet. Danach kamen z. B. Händler.", 2),
        ("Er wohnt bzw. Er arbeitet in der Hauptstr. 5 in Bonn. Das ist Nr. 7.", 2),
        ("Vom 4. Oktober bis zum 12. Dezember ist zu. Dann ist offen.", 2),
        ("« Où est-il ? » demanda M. Dupont. Personne ne répondit.", 2),
        ("वह घर गया। वह सो गया।", 2),
    ],
)
def test_sentences_of_other_languages(text: str, expected: int) -> None:
    """Full stops of other scripts; dates and abbreviations of German and French."""
    assert len(sentences(text)) == expected
