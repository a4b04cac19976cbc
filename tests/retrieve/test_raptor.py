"""The collapsed tree: passages and summaries in one ranking."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from ragcli.asking.ask import ask
from ragcli.asking.opening import open_space
from ragcli.config import Settings
from ragcli.retrieve.e2 import leaves, nearest
from ragcli.retrieve.raptor import NEAREST, raptor, raptor_facts

SETTINGS = Settings(workers=1)
QUESTION = "What is the observatory on the mountain for?"


def test_nodes_are_ranked_as_by_brute_force(sample_store: Path) -> None:
    """The k nearest of all passages and all summaries, compared one by one."""
    with open_space(sample_store, SETTINGS) as space:
        question = space.understand(QUESTION)
        rows = space.db.execute(
            "SELECT 'passage', p.id, v.vector FROM passages p JOIN vectors v ON v.hash = p.vector"
            " UNION ALL"
            " SELECT 'summary', n.rowid, v.vector FROM nodes n JOIN vectors v ON v.hash = n.vector"
        ).fetchall()
        vectors = np.array([np.frombuffer(blob, np.float16) for _, _, blob in rows], np.float32)
        similar = vectors @ question.vector
        scored = sorted((-s, kind, row) for s, (kind, row, _) in zip(similar, rows, strict=True))
        found = nearest(space, question, 20)
    assert [(kind, row) for _, kind, row in found] == [(kind, row) for _, kind, row in scored[:20]]
    assert {kind for _, kind, _ in found} == {"passage", "summary"}


def test_a_summary_stands_for_passages_below_it(sample_store: Path) -> None:
    """Each find is the passage of its node, or one of the passages below a summary."""
    with open_space(sample_store, SETTINGS) as space:
        question = space.understand(QUESTION)
        finds = raptor(space, question, 10)
        below = set()
        for _, kind, row in nearest(space, question, 10):
            if kind == "passage":
                below.add(row)
                continue
            for chunk in leaves(space, row):
                below |= set(space.passage_vectors(chunk)[0])
    assert len(finds) == 10 == len({find.passage for find in finds})
    assert {find.passage for find in finds} <= below
    assert [find.score for find in finds] == sorted((f.score for f in finds), reverse=True)


def test_the_summaries_themselves_are_told(sample_store: Path) -> None:
    """Every summary among the nearest is a fact, word for word."""
    with open_space(sample_store, SETTINGS) as space:
        question = space.understand(QUESTION)
        wanted = [row for _, kind, row in nearest(space, question, NEAREST) if kind == "summary"]
        texts = dict(space.db.execute("SELECT rowid, text FROM nodes"))
        facts = raptor_facts(space, question)
    assert wanted
    assert [fact.text for fact in facts] == [texts[row] for row in wanted]


def test_an_answer_quotes_documents_not_summaries(sample_store: Path) -> None:
    """Summaries guide; what is cited stands in the hits' documents, to the character."""
    found = ask(sample_store, QUESTION, replace(SETTINGS, mode="raptor", answer="extractive"))
    assert found.reply.citations
    with open_space(sample_store, SETTINGS) as space:
        for cited in found.reply.citations:
            assert space.text_of(cited.doc, cited.start, cited.end) == cited.quote
