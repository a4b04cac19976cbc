"""Builds development sets of retrieval at size, for ``ranking.py``, from the data in RAGCLI_DATA.

``FOLDER/pool``: the passages of HotpotQA-100 and MuSiQue-100 among about 10,000 others of
``qa-training`` as one ``corpus.jsonl``, with three files of questions: both sets, and questions of
``hotpotqa_samples`` whose supporting passages are known. A passage with the title of a hidden one
is left out, so that no copy of the evidence is another document.

``FOLDER/articles``: documents of several passages each (articles, posts, reviews) as
numbered text files, and questions with the file that holds their answer. The texts are never copied
into the project.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

HIDDEN = ("hotpotqa-100", "musique-100")
SIZE = 10_000
# Passages of questions on several passages, then single ones; about half of the pool are the first.
RELATED = ("hotpotqa_samples",)
OTHERS = ("derived_multi", "nq", "timeqa", "quoref_contrast", "qed", "squadshifts_newwiki")
ARTICLES = ("squad1", "squadshifts_newwiki", "squadshifts_amazon", "squadshifts_reddit")
PARAGRAPHS = 6  # of an article: about 800 words, as a long news article has
FEWEST = 3  # paragraphs of a document
QUESTIONS = 100  # of each source of articles
DOCUMENTS = 450  # those with an answer, and others

Record = dict[str, Any]


def examples(folder: Path, source: str) -> Iterator[Record]:
    """The training examples of a source of qa-training, then its development examples."""
    for part in ("train", "dev"):
        path = folder / f"{source}-{part}.jsonl.gz"
        if path.exists():
            with gzip.open(path, "rt", encoding="utf-8") as lines:
                yield from map(json.loads, lines)


def folded(text: str) -> str:
    """A title or text for comparison: words in lower case."""
    return " ".join(text.casefold().split())


def shuffled(items: Iterable[Any]) -> list[Any]:
    """The items in an order that depends on their text alone."""
    return sorted(items, key=lambda item: sha256(str(item).encode()).hexdigest())


def read(path: Path) -> list[Record]:
    """The records of a JSON Lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def write(path: Path, records: Iterable[Record]) -> None:
    """Write records as JSON Lines."""
    lines = (json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    path.write_text("".join(lines), encoding="utf-8")


class Pool:
    """Passages without repeats; ``add`` gives each an id."""

    def __init__(self) -> None:
        """Start empty."""
        self.records: list[Record] = []
        self._by_text: dict[str, str] = {}
        self.by_title: dict[str, list[str]] = {}

    def add(self, title: str, text: str) -> str:
        """The id of a passage, a new one unless the text is there already."""
        key = folded(text)
        if key not in self._by_text:
            name = f"p{len(self.records)}"
            self._by_text[key] = name
            self.by_title.setdefault(folded(title), []).append(name)
            self.records.append({"_id": name, "title": title, "text": text})
        return self._by_text[key]


def passages(root: Path, out: Path) -> None:
    """Write the pool and its three sets of questions."""
    out.mkdir(parents=True, exist_ok=True)
    found, asked = Pool(), set()
    for name in HIDDEN:
        ids = {
            f"corpus.jsonl#{r['_id']}": f"corpus.jsonl#{found.add(r['title'], r['text'])}"
            for r in read(root / name / "corpus.jsonl")
        }
        cases = read(root / name / "questions.jsonl")
        asked |= {folded(case["question"]) for case in cases}
        moved = [case | {"evidence": [ids[doc] for doc in case["evidence"]]} for case in cases]
        write(out / f"{name}.jsonl", moved)
    hidden = dict(found.by_title)
    training = root / "qa-training"
    samples = list(examples(training, RELATED[0]))
    known = [x for x in samples if "supporting" in x and folded(x["question"]) not in asked]
    cases = [case for x in known if (case := _sample(found, hidden, x))]
    write(out / "hotpotqa-samples.jsonl", cases)
    for sources, size in ((RELATED, SIZE // 2), (OTHERS, SIZE)):
        others = {
            (c["title"].split(" — ")[0], c["text"])
            for source in sources
            for x in examples(training, source)
            for c in x["contexts"]
            if c["title"] and len(c["text"]) >= 100
        }
        for title, text in shuffled(others):
            if len(found.records) >= size + sum(map(len, hidden.values())):
                break
            if folded(title) not in hidden:
                found.add(title, text)
    write(out / "corpus.jsonl", found.records)
    print(f"{out}: {len(found.records)} passages, {len(cases)} questions of {RELATED[0]}")


def _sample(found: Pool, hidden: dict[str, list[str]], x: Record) -> Record | None:
    """The question of an example with its evidence in the pool, its passages added; None where a
    supporting passage could be one of several hidden passages."""
    places = {}
    for number, context in enumerate(x["contexts"]):
        same = hidden.get(folded(context["title"]), [])
        if len(same) > 1 and number in x["supporting"]:
            return None
        places[number] = same[0] if same else None
    for number, context in enumerate(x["contexts"]):
        if places[number] is None:
            places[number] = found.add(context["title"], context["text"])
    evidence = list(dict.fromkeys(f"corpus.jsonl#{places[n]}" for n in x["supporting"]))
    answers = list(dict.fromkeys(a["text"] for a in x["answers"]))
    return {"id": x["id"], "question": x["question"], "answer": answers, "evidence": evidence}


def articles(root: Path, out: Path) -> None:
    """Write documents of several passages and questions with the document of their answer."""
    out.mkdir(parents=True, exist_ok=True)
    documents: list[str] = []
    cases = []
    for source in ARTICLES:
        found = [x for x in examples(root / "qa-training", source) if x["kind"] == "span"]
        by_title: dict[str, dict[str, None]] = {}
        for x in found:
            by_title.setdefault(x["contexts"][0]["title"], {})[x["contexts"][0]["text"]] = None
        at: dict[str, str] = {}
        for texts in by_title.values():
            whole = list(texts)
            for start in range(0, len(whole), PARAGRAPHS):
                part = whole[start : start + PARAGRAPHS]
                if len(part) >= FEWEST:
                    documents.append("\n\n".join(part) + "\n")
                    at |= dict.fromkeys(part, documents[-1])
        asked = {x["question"]: x for x in found if x["contexts"][0]["text"] in at}
        for text in shuffled(asked)[:QUESTIONS]:
            x = asked[text]
            answers = list(dict.fromkeys(a["text"] for a in x["answers"]))
            place = at[x["contexts"][0]["text"]]
            cases.append({"id": x["id"], "question": text, "answer": answers, "evidence": [place]})
    kept = dict.fromkeys([*(c["evidence"][0] for c in cases), *shuffled(documents)])
    names = {text: f"{n:03}.txt" for n, text in enumerate(sorted(list(kept)[:DOCUMENTS]))}
    for text, name in names.items():
        (out / name).write_text(text, encoding="utf-8")
    moved = [case | {"evidence": [names[text] for text in case["evidence"]]} for case in cases]
    write(out / "questions.jsonl", moved)
    print(f"{out}: {len(names)} documents, {len(moved)} questions")
