"""The model card: fixed text from card.md with tables of the measured scores."""

from pathlib import Path
from typing import Any

_TEMPLATE = Path(__file__).with_name("card.md")
_TAG_COLUMNS = ("UPOS", "nouns", "sentences F1", "UPOS on gold tokens", "nouns on gold tokens")
_TAG_KEYS = ("upos", "noun_f", "sentence_f", "upos_gold_tokens", "noun_f_gold_tokens")
_WORDS_OF = {"p": "precision", "r": "recall", "f": "F1"}


def write_card(scores: dict[str, Any], path: Path) -> None:
    """Fill the template with ``scores`` (see evaluate.py) and write it to ``path``."""
    template = _TEMPLATE.read_text(encoding="utf-8")
    path.write_text(template.replace("{scores}", tables(scores)), encoding="utf-8")


def tables(scores: dict[str, Any]) -> str:
    """Three tables (tags, names by corpus, names by label) and a line on size and speed."""
    tags = [[name, *(t[key] for key in _TAG_KEYS)] for name, t in scores["tags"].items()]
    names = [
        [name, n["names"], *n["boundary"].values(), n["typed"]["f"], n["strict"]["f"]]
        for name, n in scores["names"].items()
    ]
    labels = [[k, v["names"], v["p"], v["r"], v["f"]] for k, v in scores["labels"].items()]
    return "\n\n".join(
        [
            _table(["held-out text", *_TAG_COLUMNS], tags),
            _table(
                [
                    "held-out text",
                    "names",
                    "boundary precision",
                    "recall",
                    "F1",
                    "typed F1",
                    "strict boundary F1",
                ],
                names,
            ),
            "By label, over all of these texts, boundary and label both right:",
            _table(["label", "names", *_WORDS_OF.values()], labels),
            f"On disk: {scores['size_mb']} MB. Speed when these scores were taken: "
            f"{scores['speed']:,} words a second on one core, the whole pipeline.",
        ]
    )


def _table(head: list[str], rows: list[list[Any]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)
