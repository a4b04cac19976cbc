"""``python -m training.reader``: from the examples to the weights in the package.

The examples are looked for in the folder ``qa-training`` below ``$RAGCLI_DATA``; see README.md.
"""

import argparse
from pathlib import Path

import torch

from ragcli.models.locate import embedder_folder
from training.reader.data import find_data
from training.reader.train import Settings, train

_ROOT = Path(__file__).parents[2]
BUILD = _ROOT / "build" / "reader"


def main() -> int:
    """The straight line; every step's name says what it does."""
    parser = argparse.ArgumentParser(prog="python -m training.reader")
    parser.add_argument("--build", type=Path, default=BUILD, help="checkpoints")
    parser.add_argument("--tokens", type=float, default=20, help="millions to train on")
    parser.add_argument("--minutes", type=float, default=0, help="end sooner, if not 0")
    parser.add_argument("--threads", type=int, default=0, help="of PyTorch; 0: as many as cores")
    given = parser.parse_args()
    data = find_data()
    if data is None:
        return 2
    if given.threads:
        torch.set_num_threads(given.threads)
    settings = Settings(tokens=int(given.tokens * 1e6), minutes=given.minutes)
    train(data, embedder_folder(), given.build, settings)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
