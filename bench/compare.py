"""What became slower, beyond noise: two files of ``guard.py``.

    python bench/compare.py OLD.json NEW.json

A cost has grown when the whole 99 % interval of its ratio (new / old) is above 1 + ``MARGIN``. The
interval comes from repeated runs: 2,000 times some are drawn again with replacement, and the ratio
of the medians is taken (seeded, so the verdict is the same every time). Files that were measured in
turns are paired: then whole turns are drawn, and the ratio is the median of the turns' ratios.

Processor time, memory and bytes written decide, in this order. Seconds on the wall are printed
beside them and decide nothing, because they depend on what else the machine does. Exit code 1 if
anything has grown, 2 if the files cannot be compared.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from measure import table

FORMAT = 1
MARGIN = 0.03
DRAWS = 2_000
OUTSIDE = 0.005
"""The share of draws beyond each end of the interval."""
FEWEST = 5

COSTS = {"cpu": ("ms", 1000.0), "peak": ("MiB", 2.0**-20), "written": ("KiB", 2.0**-10)}
"""The costs that decide: unit, and what a value is multiplied by."""
LEAST = {"cpu": 0.005, "peak": 2.0**20, "written": 4096.0}
"""Differences of medians that count at all: 5 ms, 1 MiB, 4 KiB."""


@dataclass(frozen=True)
class Change:
    """A cost of a command in both versions: medians, and their ratio with its interval."""

    command: str
    cost: str
    old: float
    new: float
    ratio: float
    low: float
    high: float

    @property
    def grown(self) -> bool:
        """Whether the cost has become higher beyond noise."""
        return self.low > 1 + MARGIN and self.new - self.old > LEAST[self.cost]

    @property
    def shrunk(self) -> bool:
        """Whether the cost has become lower beyond noise."""
        return self.high < 1 / (1 + MARGIN) and self.old - self.new > LEAST[self.cost]


class CannotCompare(Exception):
    """The files are not of this format, or have nothing in common."""


def read(path: Path) -> dict[str, Any]:
    """A file of ``guard.py``. Raises CannotCompare."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CannotCompare(f"{path} cannot be read: {error}") from error
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise CannotCompare(f"{path} is not a file of bench/guard.py, format {FORMAT}")
    return found


def changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Change]:
    """All costs of the commands that both files have. Raises CannotCompare."""
    paired = old["pair"] == new["pair"]
    found = []
    for command, costs in new["samples"].items():
        before = old["samples"].get(command, {})
        for cost in COSTS:
            a, b = before.get(cost, []), costs.get(cost, [])
            if any(a) and any(b):
                if min(len(a), len(b)) < FEWEST:
                    raise CannotCompare(f"{command!r} needs at least {FEWEST} runs in both files")
                ratio, low, high = interval(a, b, paired and len(a) == len(b))
                found.append(Change(command, cost, median(a), median(b), ratio, low, high))
    if not found:
        raise CannotCompare("the files have no command in common")
    return found


def interval(
    old: Sequence[float], new: Sequence[float], paired: bool
) -> tuple[float, float, float]:
    """The ratio new / old, and the ends of its 99 % interval, by drawing runs again."""
    random = Random(0)

    def drawn(values: Sequence[float]) -> float:
        return median(random.choices(values, k=len(values)))

    if paired:
        ratios = [b / a for a, b in zip(old, new, strict=True)]
        ratio, draws = median(ratios), sorted(drawn(ratios) for _ in range(DRAWS))
    else:
        ratio = median(new) / median(old)
        draws = sorted(drawn(new) / drawn(old) for _ in range(DRAWS))
    beyond = int(OUTSIDE * DRAWS)
    return ratio, draws[beyond], draws[-1 - beyond]


def show(found: Sequence[Change], wall: Mapping[str, tuple[float, float]]) -> None:
    """Print all changes, and what has grown once more at the end."""
    rows = []
    for change in sorted(found, key=lambda x: (list(COSTS).index(x.cost), -x.ratio)):
        unit, factor = COSTS[change.cost]
        verdict = "SLOWER" if change.grown else "better" if change.shrunk else ""
        if change.cost != "cpu" and change.grown:
            verdict = "MORE"
        beside = "/".join(f"{1000 * x:,.0f}" for x in wall[change.command])
        rows.append(
            [
                f"{change.cost}: {change.command}",
                f"{factor * change.old:,.0f}",
                f"{factor * change.new:,.0f} {unit}",
                f"{change.ratio:.3f}",
                f"{change.low:.3f} to {change.high:.3f}",
                beside if change.cost == "cpu" else "",
                verdict,
            ]
        )
    table(("cost", "old", "new", "ratio", "99 % interval", "wall ms", ""), rows)


def main(given: Sequence[str] | None = None) -> int:
    """Compare two files; the exit code."""
    args = sys.argv[1:] if given is None else given
    if len(args) != 2:
        print("usage: python bench/compare.py OLD.json NEW.json")
        return 2
    try:
        old, new = (read(Path(name)) for name in args)
        found = changes(old, new)
    except CannotCompare as error:
        print(f"compare: {error}")
        return 2
    if old["pair"] != new["pair"]:
        print("The files were not measured in turns: other work on the machine counts as a change.")
        if old["machine"] != new["machine"]:
            print(f"Different machines: {old['machine']}, {new['machine']}.")
    wall = {
        change.command: (
            median(old["samples"][change.command]["wall"]),
            median(new["samples"][change.command]["wall"]),
        )
        for change in found
    }
    show(found, wall)
    grown = [change for change in found if change.grown]
    print(f"{len(grown)} of {len(found)} costs have grown beyond noise")
    return 1 if grown else 0


if __name__ == "__main__":
    sys.exit(main())
