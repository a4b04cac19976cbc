"""Computes named scores for a case and its answer; scores that do not apply are left out.

Names: ``recall@k perfect@k ndcg@k mrr`` by document, ``quote_...`` by quote, ``answer_recall@k``
(the first k hits contain a gold answer), ``source@k`` (share of the first k hits that come from the
case's source document), ``em f1`` (of the short answer; of the reply if there is none), ``reply_em
reply_f1 rouge_l`` (of the reply), ``includes`` (the reply contains a gold answer),
``accuracy``, ``citation_precision citation_recall``, ``supported`` (share of the sentences of a
language model that its quotes support), ``sentences_written``, ``sentences_kept``, ``abstained``
and, by whether the case is answerable, ``abstained_unanswerable abstained_answerable``,
``context_tokens redundancy`` and the latencies ``retrieve_ms answer_ms total_ms``.
"""

from __future__ import annotations

from collections.abc import Sequence

from ragcli.evaluate import text_metrics as text
from ragcli.evaluate.cases import Case, GoldEvidence
from ragcli.evaluate.matching import (
    Ranks,
    answer_rank,
    document_ranks,
    findable,
    quote_ranks,
    same_doc,
    wanted_documents,
    wanted_quotes,
)
from ragcli.evaluate.rank_metrics import (
    citation_precision,
    citation_recall,
    ndcg,
    perfect,
    recall,
    reciprocal_rank,
)
from ragcli.types import Answer, Hit, Reply

Scores = dict[str, float]

_AT_K = ("recall", "perfect", "ndcg")
_ANSWERS = (
    "em", "f1", "reply_em", "reply_f1", "rouge_l", "includes", "accuracy",
    "citation_precision", "citation_recall", "supported", "sentences_written", "sentences_kept",
)  # fmt: skip
_COSTS = ("context_tokens", "redundancy", "retrieve_ms", "answer_ms", "total_ms")
_LOWER = {*_COSTS, "abstained", "abstained_answerable"}


def names(ks: Sequence[int]) -> tuple[str, ...]:
    """Return every name that ``score`` can return for these k, in the order of reports."""
    by_document = [f"{metric}@{k}" for metric in _AT_K for k in ks]
    by_quote = [f"quote_{metric}@{k}" for metric in _AT_K for k in ks]
    by_text = [f"{metric}@{k}" for metric in ("answer_recall", "source") for k in ks]
    abstention = ("abstained", "abstained_unanswerable", "abstained_answerable")
    return (
        *by_document, "mrr", *by_quote, "quote_mrr", *by_text, *_ANSWERS, *abstention, *_COSTS,
    )  # fmt: skip


def lower_is_better(name: str) -> bool:
    """Whether lower is better: costs, and abstaining (except where it is correct)."""
    return name in _LOWER


def score(case: Case, answer: Answer, ks: Sequence[int], answers: bool, pick: int | None) -> Scores:
    """Compute all scores that apply to this case. ``answers``: there is a reply.

    ``pick`` is the choice (0-based) selected by other means than the reply's words, such as the
    choices' probabilities; None uses the words.
    """
    scores = _retrieval(case, answer.hits, ks)
    if answers:
        scores |= _reply(case, answer, pick) | _citations(case, answer) | _sentences(answer.reply)
    return scores | _costs(answer, answers)


def _retrieval(case: Case, hits: Sequence[Hit], ks: Sequence[int]) -> Scores:
    scores = _ranked(
        "", wanted := wanted_documents(case.evidence), document_ranks(wanted, hits), ks
    )
    scores |= _ranked(
        "quote_", wanted := wanted_quotes(case.evidence), quote_ranks(wanted, hits), ks
    )
    if golds := findable(case.answers):
        rank = answer_rank(golds, hits)
        scores |= {f"answer_recall@{k}": recall((rank,), k) for k in ks}
    if case.source and hits:
        right = [same_doc(case.source, hit.doc) for hit in hits]
        scores |= {f"source@{k}": sum(right[:k]) / len(right[:k]) for k in ks}
    return scores


def _ranked(prefix: str, wanted: Sequence[GoldEvidence], ranks: Ranks, ks: Sequence[int]) -> Scores:
    if not wanted:
        return {}
    grades = [item.grade for item in wanted]
    scores = {f"{prefix}mrr": reciprocal_rank(ranks)}
    for k in ks:
        scores[f"{prefix}recall@{k}"] = recall(ranks, k)
        scores[f"{prefix}perfect@{k}"] = perfect(ranks, k)
        scores[f"{prefix}ndcg@{k}"] = ndcg(ranks, grades, k)
    return scores


def _reply(case: Case, answer: Answer, pick: int | None) -> Scores:
    abstained = float(answer.reply.abstained)
    split = "abstained_answerable" if case.answerable else "abstained_unanswerable"
    scores = {"abstained": abstained, split: abstained}
    # For an unanswerable question, abstaining is correct; its text is not compared with anything.
    if not case.answerable or not case.answers:
        return scores
    said = text.without_marks(answer.reply.text)
    if case.choices:
        place = text.chosen(said, case.choices) if pick is None else pick
        return scores | {
            "accuracy": float(place is not None and case.choices[place] in case.answers)
        }
    short = answer.reply.short
    brief = said if short is None else short.text
    scores |= {
        "em": text.exact_match(brief, case.answers),
        "f1": text.token_f1(brief, case.answers),
        "reply_em": text.exact_match(said, case.answers),
        "reply_f1": text.token_f1(said, case.answers),
        "rouge_l": text.rouge_l(said, case.answers),
    }
    if golds := findable(case.answers):
        scores["includes"] = float(text.contains(said, golds))
    return scores


def _citations(case: Case, answer: Answer) -> Scores:
    if not case.evidence:
        return {}
    titles = {hit.doc: hit.title for hit in answer.hits}
    cited = answer.reply.citations
    scores = {"citation_recall": citation_recall(cited, case.evidence, titles)}
    precision = citation_precision(cited, case.evidence, titles)
    return scores if precision is None else scores | {"citation_precision": precision}


def _sentences(reply: Reply) -> Scores:
    """Scores of generated sentences; an extractive answer has none."""
    if reply.by != "llm":
        return {}
    scores = {"sentences_written": float(reply.written), "sentences_kept": float(reply.kept)}
    return scores | ({"supported": reply.kept / reply.written} if reply.written else {})


def _costs(answer: Answer, answers: bool) -> Scores:
    scores = {
        "context_tokens": float(answer.context_tokens),
        "redundancy": text.redundancy(hit.text for hit in answer.hits),
    }
    stages = ("retrieve", "answer", "total") if answers else ("retrieve", "total")
    timed = {f"{s}_ms": answer.timings_ms[s] for s in stages if s in answer.timings_ms}
    return scores | timed
