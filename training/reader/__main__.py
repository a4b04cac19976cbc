"""``python -m training.reader``: from the examples to the weights in the package.

The examples are looked for in the folder ``qa-training`` below ``$RAGCLI_DATA``; see README.md.
"""

import argparse
import json
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import torch

from ragcli.models.locate import embedder_folder
from ragcli.models.reader import WEIGHTS, Reader
from training.reader.calibrate import calibrate
from training.reader.card import write_card
from training.reader.checkpoints import OtherRunError, forget
from training.reader.data import find_data
from training.reader.evaluate import evaluate
from training.reader.train import LATER, OWN, Settings, between, package, train

_ROOT = Path(__file__).parents[2]
BUILD = _ROOT / "build" / "reader"
PACKAGE = WEIGHTS.parent

QUICK = 80
"""Examples of the first stage with ``--quick``."""
QUICK_SAMPLE = 12
"""Development questions of a source with ``--quick``."""
PER_EXAMPLE = (211, 290, 290)
"""Tokens of a planned example, a question or claims, in each stage."""
QUIET_CORE = 2.5e-4
"""Seconds a token on one core with bfloat16 in hardware and nothing beside it."""
SAMPLE = 500
"""Development questions of a source at most that the weights are scored on."""
FITTED = 60
"""Development questions of a source that the calibration is fitted on."""
CALIBRATED, SCORED = 9.0, 4.0
"""Seconds of one core for a development question of every source, in calibration and scores."""


def main() -> int:
    """The straight line; every step's name says what it does."""
    given = chosen(options().parse_args())
    data = find_data()
    if data is None:
        return 2
    if given.threads:
        torch.set_num_threads(given.threads)
    stages = planned(given)
    foretell(stages, given)
    try:
        trained = taught(data, given, stages)
    except OtherRunError as error:
        print(error, file=sys.stderr)
        return 2
    made = given.build / "made"
    finish(trained, data, made, given.sample)
    install(made, given.out)
    for folder in folders(given.build, len(stages)):
        forget(folder)
    print(f"weights, calibration, scores and card: {given.out}", flush=True)
    return 0


def options() -> argparse.ArgumentParser:
    """What can be chosen."""
    parser = argparse.ArgumentParser(prog="python -m training.reader")
    parser.add_argument("--build", type=Path, help="folder of checkpoints")
    parser.add_argument("--tokens", type=float, default=20, help="millions in the first stage")
    parser.add_argument("--later-tokens", type=float, default=12, help="millions in the second")
    parser.add_argument(
        "--own-tokens", type=float, default=20, help="millions in the third; 0: no third stage"
    )
    parser.add_argument(
        "--examples",
        type=int,
        default=0,
        help="as many planned examples in the first stage, the others in proportion to their "
        "tokens, and nothing into the package: the whole line over a share of the data",
    )
    parser.add_argument("--minutes", type=float, default=0, help="end a stage sooner, if not 0")
    parser.add_argument("--start", type=Path, help="weights that the second stage begins with")
    parser.add_argument("--threads", type=int, default=0, help="of PyTorch; 0: as many as cores")
    parser.add_argument("--sample", type=int, help="development questions of a source")
    parser.add_argument(
        "--out",
        type=Path,
        help="folder for weights and card; if all is read, the package",
    )
    parser.add_argument(
        "--quick", action="store_true", help="every step on next to nothing, into the build folder"
    )
    return parser


def chosen(given: argparse.Namespace) -> argparse.Namespace:
    """Fill in what follows from the rest: only a run over all data goes into the package."""
    if given.quick:
        given.examples, given.sample = QUICK, QUICK_SAMPLE
    given.sample = given.sample or (FITTED if given.examples else SAMPLE)
    part = "quick" if given.quick else f"examples-{given.examples}" if given.examples else ""
    given.build = given.build or BUILD / part
    given.out = given.out or (given.build / "package" if part else PACKAGE)
    return given


def planned(given: argparse.Namespace) -> list[Settings]:
    """The stages of the run: two, or three. The third needs questions over real folders."""
    first = int(given.tokens * 1e6)
    budgets = [first, int(given.later_tokens * 1e6), int(given.own_tokens * 1e6)]
    return [
        replace(
            stage,
            tokens=tokens,
            examples=max(1, round(given.examples * tokens / first)) if given.examples else 0,
            minutes=given.minutes,
        )
        for stage, tokens in zip((Settings(), LATER, OWN), budgets, strict=True)
        if tokens
    ]


def foretell(stages: Sequence[Settings], given: argparse.Namespace) -> None:
    """Say how long it takes before anything is known of this machine."""
    tokens = [
        each * stage.examples if stage.examples else stage.tokens
        for each, stage in zip(PER_EXAMPLE, stages, strict=False)
    ][1 if given.start else 0 :]
    millions = " and ".join(f"{count / 1e6:.2g}" for count in tokens)
    scored = CALIBRATED * min(FITTED, given.sample) + SCORED * given.sample
    print(
        f"{millions} million tokens: {minutes(sum(tokens) * QUIET_CORE)} on a quiet core with "
        f"bfloat16 in hardware, far less on a GPU; then calibration and scores, {minutes(scored)}. "
        "After a few steps each stage tells what is left at its own speed. Stopped, it goes on "
        "when it is started again.",
        flush=True,
    )


def minutes(seconds: float) -> str:
    """In words."""
    return f"about {seconds / 60:.0f} minutes" if seconds >= 90 else "about a minute or less"


def folders(build: Path, count: int) -> list[Path]:
    """Of the stages' checkpoints."""
    return [build, build / "stage2", build / "stage3"][:count]


def taught(data: Path, given: argparse.Namespace, stages: Sequence[Settings]) -> Path:
    """All stages: the mean of the first two, and the third from there."""
    embedder = embedder_folder()
    builds = folders(given.build, len(stages))
    start = given.start or train(data, embedder, builds[0], stages[0])
    if given.quick:  # what so little teaches finds no answer that a confidence could be fitted on
        start = WEIGHTS / "reader.safetensors"
    later = train(data, embedder, builds[1], stages[1], start)
    trained = between(start, later, given.build / "mean.safetensors")
    return train(data, embedder, builds[2], stages[2], trained) if len(stages) > 2 else trained


def finish(trained: Path, data: Path, made: Path, size: int = SAMPLE) -> None:
    """Write the package's files into ``made``: weights, calibrated and scored, and their card."""
    weights = made / "weights"
    weights.mkdir(exist_ok=True, parents=True)
    package(embedder_folder(), trained, weights / "reader.safetensors")
    print("calibration", flush=True)
    fitted = calibrate(data, weights, min(FITTED, size))["fitted"]
    print("scores", flush=True)
    scores = evaluate(
        Reader(embedder_folder(), weights), data, size=size, pairs_of_claims=min(300, size)
    )
    scores["calibration"] = fitted
    (made / "scores.json").write_text(json.dumps(scores, indent=1) + "\n", encoding="utf-8")
    write_card(scores, made / "MODEL_CARD.md")


def install(made: Path, target: Path) -> None:
    """Put each file of ``made`` in its place in ``target``, whole: weights and their calibration
    are exchanged together, after all is made."""
    files = sorted(path for path in made.rglob("*") if path.is_file())
    beside = []
    for path in files:
        place = target / path.relative_to(made)
        place.parent.mkdir(parents=True, exist_ok=True)
        beside.append((shutil.copyfile(path, place.with_name(place.name + ".new")), place))
    for new, place in beside:
        new.replace(place)


if __name__ == "__main__":
    raise SystemExit(main())
