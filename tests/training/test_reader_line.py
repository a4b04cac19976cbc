"""``make train-reader`` from examples to the model card, on next to nothing."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from safetensors.numpy import load_file

from ragcli.models.locate import embedder_folder
from ragcli.models.reader import WEIGHTS, Reader
from training.reader import __main__ as line

PLACES = ("Skarvoy", "Ellenau", "Tarnby", "Ostrava", "Lindholm", "Velden", "Marstal", "Kolbu")
MASONS = ("Jonas", "Clara", "Henrik", "Marta", "Ivo", "Greta", "Anders", "Ruth")
STONES = ("granite", "marble", "oak", "brick", "slate", "sandstone", "larch", "basalt")


def row(number: int, source: str, kind: str) -> dict[str, Any]:
    """A question about one of the places."""
    place, mason, stone = (names[number % 8] for names in (PLACES, MASONS, STONES))
    year = 1700 + 13 * number
    text = (
        f"{place} lies on the northern coast and is known for its tower. {mason} Dahl drew the "
        f"tower of {place} in {year}. The walls are of {stone}, and the keeper lives alone. "
        f"Every spring the people of {place} paint the door blue, since the salt takes the colour. "
        f"Nobody has counted the steps, but {number + 40} windows look out on the sea."
    )
    asked = (
        (f"Who drew the tower of {place}?", f"{mason} Dahl"),
        (f"When was the tower of {place} drawn?", str(year)),
        (f"What are the walls in {place} made of?", stone),
        (f"How does the name {place} begin?", place[:2]),  # which no reader of spans finds
    )
    question, answer = asked[number % 4]
    found = {
        "id": f"{source}-{number}",
        "source": source,
        "question": question,
        "contexts": [{"title": place, "text": text}],
        "answers": [{"context": 0, "start": text.index(answer), "text": answer}],
        "kind": kind,
    }
    if kind == "none":
        found |= {"question": f"What does a room in {place} cost?", "answers": []}
    if kind == "yesno":
        yes = "yes" if number % 2 else "no"
        found |= {"question": f"Is the tower of {place} old?", "answers": [], "yesno": yes}
    return found


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of made examples, named by the environment."""
    folder = tmp_path / "data" / "qa-training"
    folder.mkdir(parents=True)
    kinds = {"squadshifts_newwiki": "span", "timeqa": "none", "boolq": "yesno"}
    for part, first, last in (("train", 0, 16), ("dev", 24, 32)):
        for source, kind in kinds.items():
            rows = [row(number, source, kind) for number in range(first, last)]
            with gzip.open(folder / f"{source}-{part}.jsonl.gz", "wt") as file:
                file.write("\n".join(json.dumps(one) for one in rows) + "\n")
    monkeypatch.setenv("RAGCLI_DATA", str(folder.parent))
    return folder


@pytest.mark.slow
@pytest.mark.usefixtures("data")
def test_the_line_runs_from_end_to_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three stages, weights that answer, a calibration, scores and a card; the package is not
    touched."""
    before = {p: p.stat().st_mtime_ns for p in WEIGHTS.parent.rglob("*") if p.is_file()}
    build = tmp_path / "build"
    argv = ["reader", "--quick", "--threads", "1", "--build", str(build)]
    monkeypatch.setattr("sys.argv", argv)
    monkeypatch.setattr(line, "QUICK", 0.002)
    assert line.main() == 0
    stages = [build / "reader.safetensors", *sorted(build.glob("stage?/reader.safetensors"))]
    first, second, third = map(load_file, stages)
    assert first.keys() == second.keys() == third.keys()
    assert any((second[name] != third[name]).any() for name in third)
    made = build / "quick"
    scores = json.loads((made / "scores.json").read_text())
    assert scores["spans"]["squadshifts_newwiki"]["n"] == 8
    assert scores["calibration"]["answerable"] == 8
    card = (made / "MODEL_CARD.md").read_text()
    assert "| squadshifts_newwiki | 8 |" in card and "{scores}" not in card
    reader = Reader(embedder_folder(), made / "weights")
    passage = row(40, "squadshifts_newwiki", "span")["contexts"][0]
    answer = reader.answer("Who drew the tower of Skarvoy?", [(passage["title"], passage["text"])])
    assert "Jonas" in answer.ranked.spans[0].text and 0 < answer.confidence < 1
    after = {p: p.stat().st_mtime_ns for p in WEIGHTS.parent.rglob("*") if p.is_file()}
    assert after == before
