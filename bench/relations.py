"""How many relations that a 1.5B model finds are right, by reading them?

    python bench/relations.py

``judged_relations.jsonl`` holds what Qwen2.5-Coder-1.5B-Instruct (Q4_K_M) said of the sample
corpus, read by a person beside the text: ``right`` (the text says so), ``vague`` (the two belong
together, and the words do not tell how), ``wrong``. ``form``: ``list`` (all relations of a chunk in
brief lines, the ends chosen by the model), ``light`` (the same as ``index --mode light`` asks, each
with keywords and a description), ``pair`` (the model copies words for two names of one
sentence, as ``index --mode hybrid`` asks) or ``words`` (up to three words between two names, taken
without a model). ``dropped``: why the check did not keep it, "" if it did. Written up
in docs/adr/llm-extraction.md.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from judged import interval
from measure import table

RELATIONS = Path(__file__).with_name("judged_relations.jsonl")
VERDICTS = ("right", "vague", "wrong")


def main() -> None:
    """Print the verdicts by form and by what the check did."""
    rows = [json.loads(line) for line in RELATIONS.read_text(encoding="utf-8").splitlines()]
    counts = Counter((row["form"], row["dropped"] or "kept", row["verdict"]) for row in rows)
    shown = []
    for form, fate in dict.fromkeys((form, fate) for form, fate, _ in sorted(counts)):
        of = [counts[form, fate, verdict] for verdict in VERDICTS]
        low, high = interval(of[0], sum(of))
        share = f"{of[0] / sum(of):.0%} ({low:.0%} to {high:.0%})"
        shown.append([form, fate, *map(str, of), share])
    table(["form", "check", *VERDICTS, "right"], shown)


if __name__ == "__main__":
    main()
