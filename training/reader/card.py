"""The model card: fixed text from card.md with tables of the measured scores."""

from pathlib import Path
from typing import Any

_WAYS = {
    "gone": "the sentences with the answer taken out",
    "altered": "the question changed by a rule",
    "none": "left unanswered by their documents",
}
_TEMPLATE = Path(__file__).with_name("card.md")


def write_card(scores: dict[str, Any], path: Path) -> None:
    """Fill the template with ``scores`` (see evaluate.py) and write it to ``path``."""
    template = _TEMPLATE.read_text(encoding="utf-8")
    path.write_text(template.replace("{scores}", tables(scores)), encoding="utf-8")


def tables(scores: dict[str, Any]) -> str:
    """Spans by source, yes or no, claims by the way they were made, and the confidence."""
    spans = [
        [source, s["n"], s["em"], s["f1"], *_answered(scores["answered"].get(source))]
        for source, s in scores["spans"].items()
    ]
    yesno = [[k, v["n"], v["accuracy"], v["commoner"]] for k, v in scores["yesno"].items()]
    claims = [[k, v["n"], v["accuracy"]] for k, v in scores["claims"].items()]
    parts = [
        "Development parts of the sources, with the passage that holds the answer; of lists, the "
        "best of their items counts. AUC: whether a passage with the answer is told from a "
        "likely one without it, by the head and by the best span's score.",
        _table(["source", "questions", "EM", "F1", "AUC of `answered`", "AUC of spans"], spans),
        f"Mean F1 over {', '.join(scores['goal'])}: {scores['mean_f1']}.",
        "Yes or no, beside always giving the commoner answer:",
        _table(["source", "questions", "accuracy", "commoner"], yesno),
        "Claims about development passages, by the way they were made, at a probability of 0.5 "
        f"(AUC over all: {scores['claims']['all']['auc']}):",
        _table(["claims", "number", "right"], claims),
    ]
    if fitted := scores.get("calibration"):
        shares = [[share, value] for share, value in fitted["coverage"].items()]
        made = fitted["unanswerable"]
        ways = [
            [name, made[way]["n"], made[way]["withheld"], made[way]["auc"]]
            for way, name in _WAYS.items()
            if way in made
        ]
        parts += [
            "Confidence over the passages that a search brings and their digest, of the "
            f"{fitted['answerable']} questions that have an answer there (AUC of right against "
            f"wrong: {fitted['auc']}); of the surest share of questions so many are right:",
            _table(["share answered", "right"], shares),
            f"Questions without an answer there, below the confidence ({made['threshold']}) that "
            "withholds 5 % of the right answers, and the AUC of right answers against them:",
            _table(["questions", "number", "withheld, %", "AUC"], ways),
        ]
    return "\n\n".join(parts)


def _answered(found: dict[str, Any] | None) -> list[Any]:
    return [found["auc"], found["auc_span"]] if found else ["", ""]


def _table(head: list[str], rows: list[list[Any]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)
