"""eval --make-questions: questions about a whole corpus, by a language model from its summaries.

The scheme is LightRAG's (Guo et al. 2024, section 4.1, after Edge et al. 2024): users of the
corpus, tasks of each user, questions for each task; five of each give 125. The papers use one
request. Here each list is a separate request (1 + 5 + 25), because small models can write a short
list but not a nested one. The prompts are our own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import orjson

from ragcli.config import Settings
from ragcli.errors import InputError
from ragcli.evaluate.baseline_writer import remembered_model
from ragcli.evaluate.cases import Case
from ragcli.models.completion import Completer, Prompt
from ragcli.store.listings import documents
from ragcli.store.snapshot import open_snapshot
from ragcli.types import Event, Report, silent

_SYSTEM = "You write short numbered lists. Each item is one line. You write nothing else."
_MAX_TOKENS = 400
_LINE = r"[A-Z] [a-z] [^\x00-\x1f]{8,200}"
_QUESTION = r'[A-Z] [a-z] [^?\x00-\x1f]{8,200} "?"'
_ITEM = re.compile(r"^[^\S\n]*+(?:\d+[^\S\n]*+[.):]|[-*•])\s*+(\S.*?)(?<!\s)\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class MadeQuestions:
    """The questions; ``missing`` counts questions of the scheme that the replies lack."""

    cases: tuple[Case, ...]
    missing: int


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


def make_questions(
    summaries: Sequence[str], model: Completer, report: Report, size: int = 5, budget: int = 6000
) -> MadeQuestions:
    """Make ``size`` users x ``size`` tasks x ``size`` questions; ``budget`` is in characters.

    The type of a case is the number of its user; its id contains user, task and position
    ("u1-t2-q3"). Lines that are not questions, and duplicates, are dropped and counted as missing.
    """
    about = digest(summaries, budget)
    ask = partial(_lists, model, report=report, size=size)
    (users,) = ask([users_prompt(about, size)])
    tasks = ask([tasks_prompt(about, user, size) for user in users])
    raised = [
        (u, t, user, task)
        for u, (user, doing) in enumerate(zip(users, tasks, strict=True), 1)
        for t, task in enumerate(doing, 1)
    ]
    asked = ask(
        [questions_prompt(about, user, task, size) for _, _, user, task in raised], item=_QUESTION
    )
    cases: dict[str, Case] = {}
    for (u, t, _, _), questions in zip(raised, asked, strict=True):
        for q, question in enumerate(questions, 1):
            if question.endswith("?"):
                case = Case(f"u{u}-t{t}-q{q}", question, type=f"user {u}")
                cases.setdefault(question.casefold(), case)
    return MadeQuestions(tuple(cases.values()), size**3 - len(cases))


def digest(summaries: Sequence[str], budget: int) -> str:
    """Cut the summaries to ``budget`` characters in all, spread evenly over the corpus.

    Each gets 300 characters at least, so of a large corpus every n-th summary is taken.
    """
    room = max(1, budget // 300)
    step = max(1, -(-len(summaries) // room))
    taken = [" ".join(summary.split()) for summary in summaries[::step]]
    share = budget // max(1, len(taken))
    return "\n".join(f"- {summary[: max(1, share - 3)]}" for summary in taken if summary)


def users_prompt(about: str, size: int) -> str:
    """Ask who would use the corpus."""
    return (
        f"A collection of documents is about this:\n{about}\n\n"
        f"List {size} different kinds of people who would put questions to this collection. "
        "For each: the role, what they know, and why they ask, in one line."
    )


def tasks_prompt(about: str, user: str, size: int) -> str:
    """Ask what one user wants to do with it."""
    return (
        f"A collection of documents is about this:\n{about}\n\nA reader of it: {user}\n\n"
        f"List {size} different tasks for which this reader needs the collection, one line each."
    )


def questions_prompt(about: str, user: str, task: str, size: int) -> str:
    """Ask for the questions that one task raises."""
    return (
        f"A collection of documents is about this:\n{about}\n\nA reader of it: {user}\n"
        f"The reader's task: {task}\n\n"
        f"List {size} questions that this reader would ask for this task. Each must need a view of "
        "the collection as a whole, not one sentence of one document, and end with a question mark."
    )


def _lists(
    model: Completer, prompts: Sequence[str], *, report: Report, size: int, item: str = _LINE
) -> list[list[str]]:
    """The lists that a model replies with, at most ``size`` items of each."""
    asked = [Prompt(_SYSTEM, prompt, _MAX_TOKENS, grammar(size, item)) for prompt in prompts]
    lists: list[list[str]] = [[] for _ in prompts]
    for done, (at, reply) in enumerate(model.complete(asked)):
        report(Event("questions", done, len(prompts)))
        lists[at] = read_list(reply.text)[:size]
    report(Event("questions", len(prompts), len(prompts)))
    return lists


def grammar(size: int, item: str) -> str:
    """GBNF of a numbered list of ``size`` lines; without it, small models write numbers only.

    >>> print(grammar(2, '"a"'))
    root ::= "1. " item "\\n2. " item
    item ::= "a"
    """
    lines = " ".join(f'"{"" if n == 1 else chr(92) + "n"}{n}. " item' for n in range(1, size + 1))
    return f"root ::= {lines}\nitem ::= {item}"


def read_list(reply: str) -> list[str]:
    """Read the items of a numbered or bulleted list, without markdown's stars.

    Without any number or bullet, lines that are questions are the items.

    >>> read_list("Sure!\\n1. **Nurse**: asks for care\\n2) Clerk")
    ['Nurse: asks for care', 'Clerk']
    """
    items = _ITEM.findall(reply) or [x.strip() for x in reply.splitlines() if x.strip()[-1:] == "?"]
    return [item for found in items if (item := found.replace("**", "").strip())]
