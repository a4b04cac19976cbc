"""eval --make-questions: summaries of the store -> readers -> tasks -> questions -> a file."""

from __future__ import annotations

from pathlib import Path

import orjson

from ragcli.config import Settings
from ragcli.errors import InputError
from ragcli.evaluate.baseline_writer import remembered_model
from ragcli.evaluate.question_prompts import MadeQuestions, make_questions
from ragcli.store.listings import documents
from ragcli.store.snapshot import open_snapshot
from ragcli.types import Report, silent


def write_questions(
    store: Path, file: Path, settings: Settings, report: Report = silent
) -> MadeQuestions:
    """Write questions about the whole store into ``file`` with a language model.

    The file is JSON Lines for ``eval``, without answers or evidence. Replies are kept beside the
    store, so a killed run continues where it stopped. Raises InputError if the file exists or the
    model wrote no questions, ModelError, StoreError.
    """
    if file.exists():
        raise InputError(f"{file} exists", "name a new file, or move this one")
    if not file.parent.is_dir():
        raise InputError(f"{file.parent} is not a folder", "create it first, or name another file")
    with open_snapshot(store) as snapshot:
        about = [f"{x.doc}: {x.summary}" for x in documents(snapshot) if x.summary]
    if not about:
        raise InputError("the store has no text to ask about", "add some with: ragcli index PATH")
    with remembered_model(store, "questions are written by a language model", settings) as model:
        made = make_questions(about, model, report)
    if not made.cases:
        raise InputError(
            "the language model wrote no usable question", "name a larger one with --llm"
        )
    lines = ({"id": c.id, "question": c.question, "type": c.type} for c in made.cases)
    data = b"".join(orjson.dumps(line) + b"\n" for line in lines)
    with file.open("xb") as out:  # do not replace a file that another process has created meanwhile
        out.write(data)
    return made
