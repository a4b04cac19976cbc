"""Tales and articles of the development set of prose: passages come back as documents."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

from conftest import ROOT

# At the end: bench has a file of the name of a library, llm.
sys.path.append(str(ROOT / "bench"))

from prose import SOURCES, build
from short_answers import new_f1


def example(number: int, *contexts: tuple[str, str], answer: str = "Weil") -> dict[str, object]:
    return {
        "id": f"q{number}",
        "question": f"Who is number {number}?",
        "contexts": [{"title": title, "text": text} for title, text in contexts],
        "answers": [{"context": 0, "start": 0, "text": answer}],
        "kind": "span" if answer else "none",
    }


def made(folder: Path, tales: list[dict[str, object]]) -> Path:
    """The sources of the set, all but the first one empty."""
    for source in SOURCES:
        lines = [json.dumps(one) for one in tales] if source == next(iter(SOURCES)) else []
        with gzip.open(folder / f"{source}-dev.jsonl.gz", "wt", encoding="utf-8") as out:
            out.write("\n".join(lines))
    return folder


def test_passages_of_one_title_are_one_document(tmp_path: Path) -> None:
    one, two, three = (
        ("The Hut — Walls", "Stone."),
        ("The Hut", "Old."),
        ("The Hut — Walls", "Ice."),
    )
    tales = [example(0, two, one), example(1, one, three)]
    build(made(tmp_path, tales), tmp_path / "set")
    (document,) = (tmp_path / "set" / "documents").iterdir()
    assert document.name == "the-hut.md"
    text = document.read_text(encoding="utf-8")
    assert text == "# The Hut\n\nOld.\n\n## Walls\n\nStone.\n\nIce.\n"


def test_passages_without_a_title_are_documents_of_their_own(tmp_path: Path) -> None:
    build(made(tmp_path, [example(0, ("", "Snow.")), example(1, ("", "Ice."))]), tmp_path / "set")
    assert len(list((tmp_path / "set" / "documents").iterdir())) == 2


def test_some_of_the_questions_with_an_answer_are_asked(tmp_path: Path) -> None:
    every = next(iter(SOURCES.values()))
    tales = [example(0, ("A", "Snow."), answer="")]
    tales += [example(n, ("A", "Snow.")) for n in range(1, 2 * every + 1)]
    build(made(tmp_path, tales), tmp_path / "set")
    lines = (tmp_path / "set" / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["id"] for line in lines] == ["q1", f"q{every + 1}"]
    assert json.loads(lines[0])["answer"] == ["Weil"]


def test_what_the_question_says_does_not_count() -> None:
    asked = "In which county is Marazion located?"
    assert new_f1(asked, "Cornwall", "Marazion is located in Cornwall.") == 1.0
    assert new_f1(asked, "Devon", "Marazion is located in Cornwall.") == 0.0
    assert new_f1("Is it Marazion?", "Marazion", "It is Marazion.") == 0.5
