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
    """Have a language model ask questions about a store as a whole, and write them into ``file``.

    JSON Lines, as ``eval`` reads them, without answers or evidence. What the model was asked is
    kept beside the store, so a killed run goes on where it was.
    Raises InputError when the file exists or nothing could be made, ModelError, StoreError.
    """
    if file.exists():
        raise InputError(f"{file} exists", "name a file that does not, or move this one away")
    if not file.parent.is_dir():
        raise InputError(f"{file.parent} is no folder", "make it first, or name another file")
    with open_snapshot(store) as snapshot:
        about = [f"{x.doc}: {x.summary}" for x in documents(snapshot) if x.summary]
    if not about:
        raise InputError("the store has no text to ask about", "add some with: ragcli index PATH")
    with remembered_model(store, "questions are written by a language model", settings) as model:
        made = make_questions(about, model, report)
    if not made.cases:
        raise InputError(
            "the language model wrote no question that can be read", "name a larger one with --llm"
        )
    lines = ({"id": c.id, "question": c.question, "type": c.type} for c in made.cases)
    data = b"".join(orjson.dumps(line) + b"\n" for line in lines)
    with file.open("xb") as out:  # whoever made it meanwhile keeps theirs
        out.write(data)
    return made
