"""How many untrue answers of a language model pass the check, by reading them?

    python bench/judged.py

``judged_answers.jsonl`` holds what Qwen2.5-Coder-1.5B-Instruct (Q4_K_M) wrote in reply to questions
over the sample corpus, HotpotQA and novels, from excerpts of 400 tokens, read by a person beside
the documents and the known answers: ``true`` (it answers, and all of it is so), ``untrue``,
``beside`` (nothing wrong in it, and no answer), ``refused``. ``kept``: the check let it pass,
whole or in part (``kept_text`` is the part; the verdict is on that part). ``told``: the note names
another answer of the reader beside it. Written up in docs/adr/llm-answers.md.
"""

from __future__ import annotations

import json
from collections import Counter
from math import sqrt
from pathlib import Path

from measure import table

ANSWERS = Path(__file__).with_name("judged_answers.jsonl")
VERDICTS = ("true", "untrue", "beside")


def interval(hits: int, of: int, z: float = 1.96) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson)."""
    if not of:
        return 0.0, 1.0
    share, spread = hits / of, z * z / of
    middle = share + spread / 2
    half = z * sqrt(share * (1 - share) / of + spread / (4 * of))
    return (middle - half) / (1 + spread), (middle + half) / (1 + spread)


def main() -> None:
    """Print the verdicts by set, kept and withheld, and the share of untrue among the kept."""
    rows = [json.loads(line) for line in ANSWERS.read_text(encoding="utf-8").splitlines()]
    sets = [*dict.fromkeys(row["set"] for row in rows), "all"]
    shown = []
    for name in sets:
        mine = [row for row in rows if name in (row["set"], "all")]
        counts = Counter((row["verdict"], row["kept"]) for row in mine)
        kept = sum(counts[verdict, True] for verdict in VERDICTS)
        untrue = counts["untrue", True]
        low, high = interval(untrue, kept)
        shown.append(
            [
                name,
                str(len(mine)),
                str(sum(row["verdict"] == "refused" for row in mine)),
                *(str(counts[verdict, True]) for verdict in VERDICTS),
                *(str(counts[verdict, False]) for verdict in VERDICTS),
                f"{untrue / max(1, kept):.0%} ({low:.0%} to {high:.0%})",
            ]
        )
    kinds = [f"{state}, {v}" for state in ("kept", "withheld") for v in VERDICTS]
    table(["set", "answers", "refused", *kinds, "untrue of the kept"], shown)


if __name__ == "__main__":
    main()
