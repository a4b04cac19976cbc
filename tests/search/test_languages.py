"""BM25 over documents of six languages in one index, and compounds."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from ragcli.search import compounds, lexical
from ragcli.search.lexical import IndexedPassage
from ragcli.store.writer import StoreWriter
from ragcli.text.asked_question import AskedQuestion

DATA = Path(__file__).parent.parent / "data" / "languages"
FILES = sorted(DATA.glob("*/*.txt"))


def index_of(texts: list[str]) -> sqlite3.Connection:
    made = sqlite3.connect(":memory:")
    made.execute(
        "CREATE VIRTUAL TABLE lexical USING fts5 (title, body, content = '',"
        ' tokenize = "porter unicode61 remove_diacritics 2")'
    )
    passages = [IndexedPassage(row, "", text) for row, text in enumerate(texts)]
    lexical.add(StoreWriter(made, Path()), passages)
    return made


@pytest.mark.parametrize("language", ["de", "fr", "zh", "ja", "es", "ru"])
def test_questions_in_the_language_of_the_documents(language: str) -> None:
    """Among the documents of six languages the right one is in the first five, mostly first."""
    db = index_of([path.read_text(encoding="utf-8") for path in FILES])
    lines = (DATA / f"{language}.questions.jsonl").read_text(encoding="utf-8").splitlines()
    ranks = []
    for question in map(json.loads, lines):
        found = [
            FILES[row] for row, _ in lexical.search(db, AskedQuestion(question["question"]), 5)
        ]
        wanted = DATA / question["evidence"][0]
        ranks.append(found.index(wanted) if wanted in found else 5)
    assert len(ranks) == 15
    assert max(ranks) < 5
    assert ranks.count(0) >= 13


def test_a_word_stands_for_its_compounds() -> None:
    """At their beginning and at their end; the word itself ranks first."""
    db = index_of(["Die Bahnhofsuhr steht.", "Der Uhrmacher kommt.", "Die Uhr geht.", "Ein Rad."])
    found = [row for row, _ in lexical.search(db, AskedQuestion("Welche Uhr ist das?"), 5)]
    assert set(found) == {0, 1, 2}
    assert compounds.wider_terms(db, "Uhr") == ["uhrmach", "bahnhofsuhr"]


def test_a_compound_stands_for_its_parts() -> None:
    """If no passage has it as one word."""
    db = index_of(["Am Bahnhof hängt eine Uhr.", "Ein Rad am Wagen."])
    assert compounds.parts_of_compound(db, "bahnhofsuhr") == ["bahnhofs", "uhr"]
    assert compounds.parts_of_compound(db, "seifenkiste") == []
    assert (
        next(row for row, _ in lexical.search(db, AskedQuestion("Wie heißt die Bahnhofsuhr?"), 5))
        == 0
    )


def test_words_alone_are_read_in_a_language_of_the_passages() -> None:
    """No small word tells their language; among English passages they have no compounds."""
    german = ["Die ersten Dampfschiffe und die Bahn.", "Am Bahnhof hängt eine Uhr."]
    for query, row in (("Dampfschiff", 0), ("Bahnhofsuhr", 1)):
        assert [
            found for found, _ in lexical.search(index_of(german), AskedQuestion(query), 5)
        ] == [row]
        assert lexical.rare_terms(index_of(german), AskedQuestion(query), 9).text == query
    english = index_of(["The firehouse burns.", "The house stands."])
    assert [found for found, _ in lexical.search(english, AskedQuestion("house"), 5)] == [1]


def test_english_questions_have_no_compounds() -> None:
    """What an English question finds does not change."""
    db = index_of(["The firehouse burns.", "The house stands.", "A wheel."])
    assert [row for row, _ in lexical.search(db, AskedQuestion("Which house is it?"), 5)] == [1]


@pytest.mark.parametrize(
    ("question", "wanted", "other"),
    [
        ("متى بنيت منارة الميناء؟", "بُنِيَتِ المَنَارَةُ القديمة سنة 1873", "الحديقة مفتوحة في الصيف"),
        ("أين الحديقة؟", "ﺍﻟﺤﺪﻳﻘﺔ في وسط المدينة", "المدرسة في القرية"),
        ("किला कहाँ है?", "पुराना किला पहाड़ी पर है।", "कला का संग्रहालय यहाँ है।"),
        ("ประภาคารอยู่ที่ไหน", "คนเฝ้าประภาคารออกจากเกาะแล้ว", "สวนสมุนไพรเปิดในเดือนเมษายน"),
        ("등대는 누가 세웠습니까?", "1873년에 기사가 등대를 세웠다.", "정원은 사월에 문을 연다."),
        ("Где стоит ёлка?", "Елка стоит во дворе школы.", "Часы висят на вокзале."),
        ("Πού είναι ο φάρος;", "Ο ΦΑΡΟΣ χτίστηκε στο ακρωτήρι.", "Ο κήπος είναι ανοιχτός."),
        ("איפה המגדלור?", "הַמִּגְדַּלּוֹר עומד על הצוק.", "הגן פתוח בקיץ."),
    ],
)
def test_words_of_other_scripts(question: str, wanted: str, other: str) -> None:
    """Inside sentences, with or without vowel signs, in presentation forms, behind articles."""
    db = index_of([other, wanted])
    assert [row for row, _ in lexical.search(db, AskedQuestion(question), 5)][:1] == [1]


def test_removing_pairs_of_characters() -> None:
    """A passage is removed with the same pairs with which it was added."""
    db = index_of(["变压器在地下层。", "大桥很长。"])
    assert [row for row, _ in lexical.search(db, AskedQuestion("变压器"), 5)] == [0]
    assert [row for row, _ in lexical.search(db, AskedQuestion("桥"), 5)] == [1]
    lexical.remove(StoreWriter(db, Path()), [IndexedPassage(0, "", "变压器在地下层。")])
    assert lexical.search(db, AskedQuestion("变压器"), 5) == []
