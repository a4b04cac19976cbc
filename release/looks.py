"""How the replies of docs/replies.md look where they are read: on terminals, in files, in talk.

`make tutorial` writes them anew into tests/release/looks/. Escape sequences are kept, with a sign
for the escape, so that a page of text shows what a terminal gets.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any
from unittest.mock import patch

import ragcli
from ragcli.asking.answer_json import answer_json
from ragcli.cli import render
from ragcli.cli.answer_text import as_markdown, as_org, show_answer
from ragcli.cli.conversation import Chat
from ragcli.cli.session import Session
from ragcli.types import Answer, Located

FOLDER = Path(__file__).resolve().parent.parent / "tests" / "release" / "looks"

MOST = 20
"""Questions of the page that are asked."""

_ASKED = re.compile(r'^\$ ragcli ask "([^"]+)"$', re.MULTILINE)
_TALK = (
    "How long is Tomme de Têtu ripened?",
    "Who makes it?",
    "Summarise the dairy society",
    "What is the boiling point of tungsten?",
)
_TERMINAL = {"TERM": "xterm-256color", "FORCE_COLOR": "1", "COLORTERM": "", "NO_COLOR": ""}
_PLAIN = {**_TERMINAL, "TERM": "dumb", "FORCE_COLOR": "", "TTY_COMPATIBLE": "1"}
"""A terminal without colours, bold letters and links."""
_VARIES = {"timings_ms", "hits"}


def looks(page: str, place: Path) -> dict[str, str]:
    """The name of a file -> its text: the answers to the questions of a page.

    ``place``: a folder with sample_corpus and the store of it.
    """
    with chdir(place), ragcli.Store.open(Path(".ragcli")) as store:
        asked = list(dict.fromkeys(_ASKED.findall(page)))[:MOST]
        answers = [store.ask(question) for question in asked]
        return {
            "terminal-80.txt": _shown(answers, 80, _TERMINAL),
            "terminal-120.txt": _shown(answers, 120, _TERMINAL),
            "plain-80.txt": _shown(answers, 80, _PLAIN),
            "conversation-80.txt": _talked(store, 80),
            "answers.md": _written(answers, as_markdown),
            "answers.org": _written(answers, as_org),
            "answer.json": _as_json(answers[0]),
            "map.json": _as_json(next(one for one in answers if one.reply.maps)),
        }


def write(page: str, place: Path) -> None:
    """Write them anew."""
    for name, text in looks(page, place).items():
        (FOLDER / name).write_text(text, encoding="utf-8")


def _nowhere(_found: Located) -> None:
    """No file: its address differs from machine to machine."""


@contextmanager
def _terminal(columns: int, variables: dict[str, str]) -> Iterator[StringIO]:
    """What is printed, as a terminal of so many columns gets it."""
    given = {**variables, "COLUMNS": str(columns)}
    with patch.dict(os.environ, given), redirect_stdout(StringIO()) as shown:
        for name in [name for name, value in given.items() if not value]:
            del os.environ[name]
        with redirect_stderr(shown):
            yield shown


def _shown(answers: Sequence[Answer], columns: int, variables: dict[str, str]) -> str:
    with _terminal(columns, variables) as shown:
        for answer in answers:
            render.line(f"$ ragcli ask {json.dumps(answer.question, ensure_ascii=False)}")
            show_answer(answer, _nowhere, explain=False)
            render.line("")
    return _visible(shown.getvalue())


def _talked(store: ragcli.Store, columns: int) -> str:
    typed = "".join(f"{line}\n" for line in (*_TALK, ""))
    with _terminal(columns, _PLAIN) as shown, patch.object(sys, "stdin", StringIO(typed)):
        Chat(store, store.conversation(), Session()).run()
    return _visible(shown.getvalue())


def _written(
    answers: Sequence[Answer], write_: Callable[[Answer, Callable[[Located], None]], Iterator[str]]
) -> str:
    return "".join(f"{line}\n" for answer in answers for line in write_(answer, _nowhere))


def _as_json(answer: Answer) -> str:
    kept = {name: value for name, value in answer_json(answer).items() if name not in _VARIES}
    return f"{json.dumps(_rounded(kept), indent=1, ensure_ascii=False)}\n"


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 2)
    if isinstance(value, dict):
        return {name: _rounded(inner) for name, inner in value.items()}
    return [_rounded(inner) for inner in value] if isinstance(value, list | tuple) else value


def _visible(text: str) -> str:
    return "".join(f"{line.rstrip()}\n" for line in text.replace("\x1b", "␛").splitlines())
