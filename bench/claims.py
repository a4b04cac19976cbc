"""Which written sentences pass the check against what they cite? True ones should, others not.

    python bench/claims.py [--through KIND]

``claims.jsonl`` holds sentences over the sample corpus as a model writes them, each with its
question, the passage it cites and what it is: ``true``; ``swapped`` (names or roles exchanged, an
order turned round); ``other`` (a date, number or event that the passage does not tell of);
``negated``; ``unsupported`` (the passage says nothing of it). A check that works passes all of the
first and none of the rest. ``--through`` lists the untrue sentences of one kind that pass, or the
true ones that do not.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ragcli.answer.cite import sources
from ragcli.types import Part

CLAIMS = Path(__file__).with_name("claims.jsonl")
KINDS = ("true", "swapped", "other", "negated", "unsupported")

Check = Callable[[str, str, Part], bool]
"""Tells whether a sentence (the second argument), written for a question, stands in the part."""


def lexical(question: str, sentence: str, part: Part) -> bool:
    """The check of ``ask``: names, numbers and half of the other words stand in the quotes."""
    return bool(sources(sentence, [part], question=question))


CHECKS: dict[str, Check] = {"lexical": lexical}


def claims(path: Path = CLAIMS) -> list[dict[str, Any]]:
    """Read the claims."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def cited(claim: dict[str, Any]) -> Part:
    """The passage that a claim cites, as a part of a context."""
    (evidence,) = claim["evidence"]
    text = evidence["quote"]
    return Part(
        n=1,
        doc=evidence["doc"],
        title="",
        start=0,
        end=len(text),
        line_start=1,
        line_end=1 + text.count("\n"),
        text=text,
    )


def main() -> int:
    """Print the share of each kind that passes each check."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--through", choices=KINDS)
    wanted = parser.parse_args().through
    given = claims()
    print("sentences that pass, %" + " " * 6 + "".join(f"{kind:>14s}" for kind in KINDS))
    counts = (sum(one["label"] == kind for one in given) for kind in KINDS)
    print(f"{'sentences':28s}" + "".join(f"{count:14d}" for count in counts))
    for name, check in CHECKS.items():
        passed = {kind: [0, 0] for kind in KINDS}
        for one in given:
            verdict = check(one["question"], one["sentence"], cited(one))
            passed[one["label"]][verdict] += 1
            if one["label"] == wanted and verdict != (wanted == "true"):
                print(f"{one['id']} {one['sentence']}")
        shares = (100 * yes / max(1, no + yes) for no, yes in passed.values())
        print(f"{name:28s}" + "".join(f"{share:14.0f}" for share in shares))
    return 0


if __name__ == "__main__":
    sys.exit(main())
