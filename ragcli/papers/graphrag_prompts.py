"""Prompts for GraphRAG's three steps (Edge et al. 2024), in our words: report, map, reduce."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ragcli.models.completion import Prompt
from ragcli.text.asked_question import AskedQuestion

REPORT_INPUT = 900
"""Tokens of names, facts and sentences that a report is written from."""

MOST_SCORE = 10

_REPORT = """\
You write a short report about one part of a collection of documents. You are given the names in \
this part, facts about them, and sentences of the documents. Write a title on the first line. Then \
write two to six findings, one sentence on a line: who or what matters here, how they belong \
together, what happened, and why. Use only what you are given."""

_MAP = """\
You are given a question about a whole collection of documents, and a report about one part of it. \
Write on the first line how much the report helps to answer the question, from 0 (not at all) to \
10. If it helps, write one to three sentences with the points of the report that answer the \
question. Use only the report."""

_REDUCE = """\
You are given a question about a whole collection of documents, and notes that were taken for it \
from several parts of the collection, the most helpful first. Write one answer from these notes: \
cover their different points, join what belongs together, and leave out what does not answer the \
question. Add nothing of your own and do not mention the notes."""

_REPORT_GRAMMAR = r"""
root ::= line line line? line? line? line? line?
line ::= [^\x00-\x1F]{4,240} "\n"
"""
_MAP_GRAMMAR = r"""
root ::= "Score: " ("0" | ([1-9] | "10") "\n" [^\x00-\x1F]{10,500})
"""
_SCORE = re.compile(r"Score:\s*(\d+)\s*(.*)", re.DOTALL)


def report_prompt(
    heads: Sequence[str], facts: Iterable[str], sentences: Iterable[str], fits: int
) -> Prompt:
    """The prompt for a report, of at most ``fits`` characters of material, the names first."""
    lines = [f"Names: {', '.join(heads)}", "Facts:", *facts, "Sentences:", *sentences]
    kept: list[str] = []
    for line in lines:
        fits -= len(line) + 1
        if fits < 0:
            break
        kept.append(line)
    return Prompt(_REPORT, "\n".join(kept), 260, _REPORT_GRAMMAR)


def read_report(reply: str) -> tuple[str, tuple[str, ...]]:
    """The title and the findings of a reply; a last line that was cut off is no finding.

    >>> read_report("The radar\\nIt gave false alarms.\\nIt was rep")
    ('The radar', ('It gave false alarms.',))
    """
    *lines, cut = reply.split("\n")
    lines += [cut] if cut.rstrip().endswith((".", "!", "?")) else []
    said = list(dict.fromkeys(line.strip() for line in lines if line.strip()))
    return (said[0], tuple(said[1:])) if said else ("", ())


def map_prompt(asked: AskedQuestion, report: str) -> Prompt:
    """The prompt for the partial answer that a report gives."""
    user = f"Question: {asked.text.strip()}\n\nReport:\n{report}"
    return Prompt(_MAP, user, 120, _MAP_GRAMMAR)


def read_partial(reply: str) -> tuple[int, str]:
    """The score (0 to 10) and the text of a partial answer; 0 if there is neither.

    >>> read_partial("Score: 8\\nThe radar failed."), read_partial("Score: 0"), read_partial("?")
    ((8, 'The radar failed.'), (0, ''), (0, ''))
    """
    found = _SCORE.match(reply.strip())
    if not found:
        return 0, ""
    text = " ".join(found[2].split())
    return (min(int(found[1]), MOST_SCORE), text) if text else (0, "")


def reduce_prompt(asked: AskedQuestion, notes: Sequence[str]) -> Prompt:
    """The prompt for the answer."""
    listed = "\n".join(f"- {note}" for note in notes)
    return Prompt(_REDUCE, f"Question: {asked.text.strip()}\n\nNotes:\n{listed}", 360)
