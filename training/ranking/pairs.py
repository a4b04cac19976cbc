"""Questions that two passages answer together, and a folder of these passages and others.

``python -m training.ranking.pairs OUT`` (RAGCLI_DATA names the data)

They are those of ``hotpotqa_samples`` in ``qa-training`` whose passages are known: the supporting
ones are named, or the example has no other than these two. OUT gets ``corpus.jsonl`` and
``questions.jsonl``, as ``ragcli index`` and ``ragcli eval`` read them.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SOURCE = "hotpotqa_samples"

Example = dict[str, Any]


def main() -> int:
    """Write the folder."""
    parser = argparse.ArgumentParser(prog="python -m training.ranking.pairs")
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    ids: dict[tuple[str, str], str] = {}
    cases = [case(one, ids) for one in known(Path(os.environ["RAGCLI_DATA"]) / "qa-training")]
    records = [{"_id": name, "title": at[0], "text": at[1]} for at, name in ids.items()]
    for name, lines in (("corpus", records), ("questions", cases)):
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        (given.out / f"{name}.jsonl").write_text(text, encoding="utf-8")
    return 0


def known(folder: Path) -> Iterator[Example]:
    """The examples whose two passages are known, each question once."""
    asked: set[str] = set()
    for part in ("train", "dev"):
        with gzip.open(folder / f"{SOURCE}-{part}.jsonl.gz", "rt", encoding="utf-8") as lines:
            for one in map(json.loads, lines):
                if len(supporting(one)) == 2 and one["question"] not in asked:
                    asked.add(one["question"])
                    yield one


def supporting(example: Example) -> list[int]:
    """The places of the passages that answer it together; none if they are not known."""
    if "supporting" in example:
        return list(dict.fromkeys(example["supporting"]))
    return [0, 1] if len(example["contexts"]) == 2 else []


def case(example: Example, ids: dict[tuple[str, str], str]) -> Example:
    """A question as ``ragcli eval`` reads it; its passages get ids in ``ids``."""
    passages = [(context["title"], context["text"]) for context in example["contexts"]]
    names = [ids.setdefault(passage, f"p{len(ids)}") for passage in passages]
    answers = list(dict.fromkeys(answer["text"] for answer in example["answers"]))
    evidence = [f"corpus.jsonl#{names[at]}" for at in supporting(example)]
    return {
        "id": example["id"],
        "question": example["question"],
        "answer": answers,
        "evidence": list(dict.fromkeys(evidence)),
    }


if __name__ == "__main__":
    raise SystemExit(main())
