"""``python -m training.reader``: from the examples to the weights in the package.

The examples are looked for in the folder ``qa-training`` below ``$RAGCLI_DATA``; see README.md.
"""

import argparse
import json
from dataclasses import replace
from pathlib import Path

import torch

from ragcli.models.locate import embedder_folder
from ragcli.models.reader import WEIGHTS, Reader
from training.reader.calibrate import calibrate
from training.reader.card import write_card
from training.reader.data import find_data
from training.reader.evaluate import evaluate
from training.reader.train import LAST, LATER, Settings, between, package, train

_ROOT = Path(__file__).parents[2]
BUILD = _ROOT / "build" / "reader"


QUICK = 0.02
"""Millions of tokens of each stage with ``--quick``."""


def main() -> int:
    """The straight line; every step's name says what it does."""
    parser = argparse.ArgumentParser(prog="python -m training.reader")
    parser.add_argument("--build", type=Path, default=BUILD, help="checkpoints")
    parser.add_argument("--tokens", type=float, default=20, help="millions in the first stage")
    parser.add_argument("--later-tokens", type=float, default=12, help="millions in the second")
    parser.add_argument(
        "--last-tokens", type=float, default=0, help="millions in the third; 0: no third stage"
    )
    parser.add_argument("--minutes", type=float, default=0, help="end a stage sooner, if not 0")
    parser.add_argument("--start", type=Path, help="weights that the second stage begins with")
    parser.add_argument("--threads", type=int, default=0, help="of PyTorch; 0: as many as cores")
    parser.add_argument(
        "--quick", action="store_true", help="every step on next to nothing, into the build folder"
    )
    given = parser.parse_args()
    data = find_data()
    if data is None:
        return 2
    if given.threads:
        torch.set_num_threads(given.threads)
    budgets = [given.tokens, given.later_tokens, given.last_tokens]
    first, second, third = (
        replace(stage, tokens=int((QUICK if given.quick else tokens) * 1e6), minutes=given.minutes)
        for stage, tokens in zip((Settings(), LATER, LAST), budgets, strict=True)
    )
    start = given.start or train(data, embedder_folder(), given.build, first)
    if given.quick:  # what so little teaches finds no answer that a confidence could be fitted on
        start = WEIGHTS / "reader.safetensors"
    trained = train(data, embedder_folder(), given.build / "stage2", second, start)
    if third.tokens:
        trained = train(data, embedder_folder(), given.build / "stage3", third, trained)
    else:
        trained = between(start, trained, given.build / "mean.safetensors")
    if given.quick:
        finish(trained, data, given.build / "quick" / "weights", 12)
    else:
        finish(trained, data, WEIGHTS)
    return 0


def finish(trained: Path, data: Path, target: Path, size: int = 500) -> None:
    """Put the weights into ``target``, calibrate and score them and write the model card."""
    target.mkdir(exist_ok=True, parents=True)
    package(embedder_folder(), trained, target / "reader.safetensors")
    fitted = calibrate(data, target, min(60, size))["fitted"]
    reader = Reader(embedder_folder(), target)
    scores = evaluate(reader, data, size=size, pairs_of_claims=min(300, size))
    scores["calibration"] = fitted
    (target.parent / "scores.json").write_text(json.dumps(scores, indent=1) + "\n")
    write_card(scores, target.parent / "MODEL_CARD.md")


if __name__ == "__main__":
    raise SystemExit(main())
