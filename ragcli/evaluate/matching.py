"""The rank of each piece of evidence in a ranking: 1-based, None if it is not found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ragcli.evaluate.cases import Case, GoldEvidence
from ragcli.evaluate.text_metrics import contains, squad_normalise, squeeze
from ragcli.types import Citation, Hit

Ranks = tuple[int | None, ...]


def same_doc(wanted: str, found: str) -> bool:
    """Whether a document id equals the expected one, or ends in it after "/" or "#".

    Question sets name documents relative to their own folder; the store may index a parent folder
    of it, or the records of a JSON Lines file.

    >>> same_doc("h5", "corpus.jsonl#h5"), same_doc("b.txt", "a/b.txt"), same_doc("5", "h5")
    (True, True, False)
    """
    return found == wanted or found.endswith((f"/{wanted}", f"#{wanted}"))


def same_title(wanted: str, found: str) -> bool:
    """Compare titles without regard to case and spacing."""
    return squeeze(wanted).casefold() == squeeze(found).casefold()


def is_from(evidence: GoldEvidence, doc: str, title: str) -> bool:
    """Whether a document is the one that the evidence names (by id if it has one)."""
    if evidence.doc is not None:
        return same_doc(evidence.doc, doc)
    return evidence.title is not None and bool(title) and same_title(evidence.title, title)


def absent(evidence: Iterable[GoldEvidence], docs: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Names of the relevant documents that are not in ``docs``, which are (id, title) pairs.

    Otherwise, questions for another store would look like bad retrieval.
    """
    ids: set[str] = set()
    titles: set[str] = set()
    for doc, title in docs:
        ids.add(doc)
        ids.update(doc[place + 1 :] for place, char in enumerate(doc) if char in "/#")
        titles.add(squeeze(title).casefold())
    missing = (
        item.name
        for item in evidence
        if (item.doc is not None and item.doc not in ids)
        or (item.doc is None and item.title and squeeze(item.title).casefold() not in titles)
    )
    return tuple(dict.fromkeys(missing))


def wanted_documents(evidence: Sequence[GoldEvidence]) -> tuple[GoldEvidence, ...]:
    """Return one item for each document named, with its best grade and no quote.

    Two quotes of one document are one document to find.
    """
    best: dict[tuple[str | None, str | None], int] = {}
    for item in evidence:
        if item.doc or item.title:
            key = (item.doc, None if item.doc else item.title)
            best[key] = max(item.grade, best.get(key, item.grade))
    return tuple(GoldEvidence(doc, title, grade=grade) for (doc, title), grade in best.items())


def wanted_quotes(evidence: Sequence[GoldEvidence]) -> tuple[GoldEvidence, ...]:
    """Return one item for each different quote."""
    return tuple({squeeze(item.quote): item for item in evidence if item.quote}.values())


def documents(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Return the best hit of each document, best first; the position is the document's rank."""
    best: dict[str, Hit] = {}
    for hit in sorted(hits, key=lambda hit: hit.rank):
        best.setdefault(hit.doc, hit)
    return tuple(best.values())


def document_ranks(wanted: Sequence[GoldEvidence], hits: Sequence[Hit]) -> Ranks:
    """Return the rank of each relevant document among the documents of the hits."""
    ranked = documents(hits)
    return tuple(
        next(
            (rank for rank, hit in enumerate(ranked, 1) if is_from(item, hit.doc, hit.title)), None
        )
        for item in wanted
    )


def quote_ranks(wanted: Sequence[GoldEvidence], hits: Sequence[Hit]) -> Ranks:
    """Return the rank of the first hit that contains each quote (white space normalised)."""
    shown = [squeeze(hit.text) for hit in sorted(hits, key=lambda hit: hit.rank)]
    quotes = [squeeze(item.quote or "") for item in wanted]
    return tuple(
        next((rank for rank, text in enumerate(shown, 1) if quote in text), None)
        for quote in quotes
    )


def answer_rank(golds: Sequence[str], hits: Sequence[Hit]) -> int | None:
    """Return the rank of the first hit that contains a gold answer (SQuAD-normalised words)."""
    ordered = sorted(hits, key=lambda hit: hit.rank)
    return next((n for n, hit in enumerate(ordered, 1) if contains(hit.text, golds)), None)


def findable(golds: Sequence[str]) -> tuple[str, ...]:
    """Return the gold answers that can be searched for: not "yes" or "no", at most ten words.

    "No" occurs in many texts and proves nothing. A whole sentence in the annotator's words occurs
    in no text.
    """
    return tuple(
        gold
        for gold in golds
        if (words := squad_normalise(gold)) not in {"", "yes", "no"} and len(words.split()) <= 10
    )


def supports(citation: Citation, item: GoldEvidence, titles: Mapping[str, str]) -> bool:
    """Whether a citation points to this evidence; ``titles`` maps document id to title.

    With a quote, one of the two quotes must contain the other (white space normalised). Without
    one, the documents must be the same.
    """
    if item.quote is None:
        return is_from(item, citation.doc, titles.get(citation.doc, ""))
    cited, wanted = squeeze(citation.quote), squeeze(item.quote)
    return bool(cited) and (cited in wanted or wanted in cited)


def run_names(case: Case, hits: Sequence[Hit]) -> tuple[str, ...]:
    """Names of the ranked documents as in the evidence, otherwise their ids.

    So a run file matches the relevance file of the question set.
    """
    wanted = wanted_documents(case.evidence)
    names = (
        next((item.name for item in wanted if is_from(item, hit.doc, hit.title)), hit.doc)
        for hit in documents(hits)
    )
    return tuple(dict.fromkeys(names))
