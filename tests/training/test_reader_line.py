"""``make train-reader`` from examples to the model card, on next to nothing."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from ragcli.models.locate import embedder_folder
from ragcli.models.reader import WEIGHTS, Reader
from training.reader import __main__ as line
from training.reader.checkpoints import OtherRunError
from training.reader.train import OWN, step, train

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
def test_the_line_runs_from_end_to_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two stages and their mean, weights that answer, a calibration, scores and a card; the
    package is not touched, and nothing is left to go on from."""
    before = {p: p.stat().st_mtime_ns for p in WEIGHTS.parent.rglob("*") if p.is_file()}
    build = tmp_path / "build"
    argv = ["reader", "--quick", "--threads", "1", "--build", str(build)]
    monkeypatch.setattr("sys.argv", argv)
    monkeypatch.setattr(line, "QUICK", 8)
    monkeypatch.setattr(line, "QUICK_SAMPLE", 8)
    assert line.main() == 0
    told = capsys.readouterr().out
    assert "million tokens: about a minute or less" in told
    second, mean = load_file(build / "stage2" / "reader.safetensors"), build / "mean.safetensors"
    shipped, half = load_file(WEIGHTS / "reader.safetensors"), load_file(mean)
    name = "encoder.layer.5.output.dense.weight"
    between = (second[name].astype(np.float32) + shipped[name].astype(np.float32)) / 2
    assert (second[name] != shipped[name]).any()
    assert np.array_equal(half[name], between.astype(np.float16))
    made = build / "package"
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
    assert not [*build.rglob("checkpoint.pt"), *build.rglob("run.json"), *build.rglob("*.new")]


@pytest.mark.slow
def test_a_stopped_stage_goes_on_to_the_same_weights(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The third stage, in one go and stopped after its second step; then it is not done again,
    and other settings are refused."""
    settings = replace(OWN, examples=14, batch=400, save_minutes=0.0)
    torch.set_num_threads(1)
    whole = load_file(train(data, embedder_folder(), tmp_path / "whole", settings))
    steps = 0

    def stopping(*given: Any) -> dict[str, float]:
        nonlocal steps
        steps += 1
        if steps == 3:
            raise KeyboardInterrupt
        return step(*given)

    build = tmp_path / "stopped"
    monkeypatch.setattr("training.reader.train.step", stopping)
    with pytest.raises(KeyboardInterrupt):
        train(data, embedder_folder(), build, settings)
    resumed = load_file(train(data, embedder_folder(), build, settings))
    assert steps > 4
    assert max(np.abs(resumed[name] - whole[name]).max() for name in whole) < 1e-4
    done = steps
    train(data, embedder_folder(), build, replace(settings, save_minutes=6.0))
    assert steps == done
    with pytest.raises(OtherRunError, match="of another run"):
        train(data, embedder_folder(), build, replace(settings, rate=1e-3))
    (build / "run.json").unlink()
    with pytest.raises(OtherRunError, match="checkpoint"):
        train(data, embedder_folder(), build, replace(settings, rate=1e-3))


def test_only_a_run_over_all_data_goes_into_the_package() -> None:
    """A share of it goes into the build folder, unless a folder is named."""

    def out(*argv: str) -> Path:
        found: Path = line.chosen(line.options().parse_args(argv)).out
        return found

    assert out() == WEIGHTS.parent
    assert out("--examples", "200") == line.BUILD / "examples-200" / "package"
    assert out("--quick", "--build", "b") == Path("b") / "package"
    assert out("--examples", "200", "--out", "o") == Path("o")


def test_stages_are_in_proportion() -> None:
    """Of the examples that were asked for, or of the tokens."""

    def sizes(*argv: str) -> list[tuple[int, int]]:
        stages = line.planned(line.chosen(line.options().parse_args(argv)))
        return [(stage.examples, stage.tokens) for stage in stages]

    assert sizes() == [(0, 20_000_000), (0, 12_000_000), (0, 20_000_000)]
    assert [count for count, _ in sizes("--examples", "200", "--own-tokens", "9")] == [
        200,
        120,
        90,
    ]


def test_files_are_put_in_place_together(tmp_path: Path) -> None:
    """Those of the same name are exchanged, others stay."""
    made, target = tmp_path / "made", tmp_path / "package"
    for folder, text in ((made, "new"), (target, "old")):
        (folder / "weights").mkdir(parents=True)
        (folder / "weights" / "calibration.json").write_text(text)
    (target / "__init__.py").write_text("kept")
    line.install(made, target)
    found = {str(p.relative_to(target)): p.read_text() for p in target.rglob("*") if p.is_file()}
    assert found == {str(Path("weights") / "calibration.json"): "new", "__init__.py": "kept"}
