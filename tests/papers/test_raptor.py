"""The collapsed tree: passages and summaries in one ranking."""

from dataclasses import replace
from pathlib import Path

import numpy as np
from searching import ask, searching

from ragcli.config import Settings
from ragcli.papers.e2 import leaves, nearest
from ragcli.papers.raptor import NEAREST, raptor

SETTINGS = Settings(workers=1)
QUESTION = "What is the observatory on the mountain for?"


def test_nodes_are_ranked_as_by_brute_force(sample_store: Path) -> None:
    """The k nearest of all passages and all summaries, compared one by one."""
    with searching(sample_store, SETTINGS) as search:
        question = search.understand(QUESTION)
        rows = search.snapshot.db.execute(
            "SELECT 'passage', id FROM live_passages UNION ALL"
            " SELECT 'summary', rowid FROM live_nodes"
        ).fetchall()
        kinds = {"passage": search.index.passages, "summary": search.index.nodes}
        vectors = np.concatenate([kinds[kind].of(np.array([row])) for kind, row in rows])
        similar = vectors @ question.vector
        scored = sorted((-s, kind, row) for s, (kind, row) in zip(similar, rows, strict=True))
        found = nearest(search.index, question, 20)
    assert [(kind, row) for _, kind, row in found] == [(kind, row) for _, kind, row in scored[:20]]
    assert {kind for _, kind, _ in found} == {"passage", "summary"}


def test_a_summary_stands_for_passages_below_it(sample_store: Path) -> None:
    """Each find is the passage of its node, or one of the passages below a summary."""
    with searching(sample_store, SETTINGS) as search:
        question = search.understand(QUESTION)
        finds = raptor(search.index, question, 10, search.helpers).finds
        below = set()
        for _, kind, row in nearest(search.index, question, 10):
            if kind == "passage":
                below.add(row)
                continue
            for chunk in leaves(search.index, row):
                below |= set(search.snapshot.chunks.passage_rows(chunk))
    assert len(finds) == 10 == len({find.passage for find in finds})
    assert {find.passage for find in finds} <= below
    assert [find.score for find in finds] == sorted((f.score for f in finds), reverse=True)


def test_the_summaries_themselves_are_told(sample_store: Path) -> None:
    """Every summary among the nearest is a fact, word for word."""
    with searching(sample_store, SETTINGS) as search:
        question = search.understand(QUESTION)
        wanted = [
            row for _, kind, row in nearest(search.index, question, NEAREST) if kind == "summary"
        ]
        texts = dict(search.snapshot.db.execute("SELECT rowid, text FROM live_nodes"))
        facts = raptor(search.index, question, 3, search.helpers).facts
    assert wanted
    assert [fact.text for fact in facts] == [texts[row] for row in wanted]


def test_an_answer_quotes_documents_not_summaries(sample_store: Path) -> None:
    """Summaries guide; what is cited stands in the hits' documents, to the character."""
    asked = "How long is Tomme de Têtu ripened?"
    found = ask(sample_store, asked, replace(SETTINGS, mode="raptor", answer="extractive"))
    assert found.reply.citations
    with searching(sample_store, SETTINGS) as search:
        for cited in found.reply.citations:
            assert search.snapshot.documents.text(cited.doc, cited.start, cited.end) == cited.quote
