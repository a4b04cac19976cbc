"""A learning curve and ablations of the first stage: ``python -m training.reader.curve ROW ...``.

Every row is one run to the end of its own schedule, with the first stage's settings but for what
``ROWS`` names. The weights lie in ``--build``, a folder a row; one that was stopped goes on.
``python -m training.reader.measured`` tells what they are worth.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import torch

from ragcli.models.locate import embedder_folder
from training.reader.data import find_data
from training.reader.train import Settings, train

BASE = Settings(examples=10_000)
SAME_TOKENS = 2_150_000
"""What ``BASE`` reads."""

ROWS = {
    "10k": BASE,
    "30k": replace(BASE, examples=30_000),
    "100k": replace(BASE, examples=100_000),
    "apart": replace(BASE, shared=False),
    "fresh": replace(BASE, fresh=2),
    "evenly": replace(BASE, layer_decay=1.0),
    "no-claims": replace(BASE, claims=0.0, later_claims=0.0, examples=7_173),
    "long": replace(BASE, crop=288, examples=0, tokens=SAME_TOKENS),
    "short": replace(BASE, crop=96, examples=0, tokens=SAME_TOKENS),
}


def main() -> int:
    """Train the rows that are named, one after the other."""
    parser = argparse.ArgumentParser(prog="python -m training.reader.curve")
    parser.add_argument("rows", nargs="+", choices=list(ROWS))
    parser.add_argument("--build", type=Path, required=True, help="folder of the rows' weights")
    parser.add_argument("--threads", type=int, default=0, help="of PyTorch; 0: as many as cores")
    given = parser.parse_args()
    data = find_data()
    if data is None:
        return 2
    if given.threads:
        torch.set_num_threads(given.threads)
    for row in given.rows:
        print(row, flush=True)
        train(data, embedder_folder(), given.build / row, ROWS[row])
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
