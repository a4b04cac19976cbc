"""When should an extractive answer be given up? Retrieved contexts with and without the answer.

    RAGCLI_DATA=/path/to/data python bench/abstain.py [FOLDER] [--fit]

Questions of HotpotQA-100, MuSiQue-100, the novels and the sample corpus are retrieved by ``auto``:
``as`` found, with the documents of the evidence taken out (``gone``; in the novels the passages
that hold all words of the answer), and with only those taken out that hold the answer (``one``);
``un`` are the sample corpus's questions that it does not answer. Stores are built in FOLDER, or in
a temporary one, and used again when they exist.

Shown are the area under the ROC curve between ``as`` (where evidence was retrieved) and each other
way, and how many of the other way are caught by the threshold that gives up 5 % of ``as``: for how
near the passages are (``choose.closeness``), for the reader's confidence, and for what ``ask`` goes
by (``told``), each time with weights that were fitted on the other questions of HotpotQA-100,
MuSiQue-100 and the novels (five folds by a hash of their ids; the sample corpus is never fitted
on). ``--fit`` prints the weights fitted on all of the three. Written up in
docs/adr/answers-by-reading.md.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from answer_cases import as_list, holds
from measure import RAGCLI, data, run, table

from ragcli.answer.choose import TUNING
from ragcli.answer.short import FoundAnswer, find
from ragcli.answer.told import LEAST_TOLD
from ragcli.answer.view import look
from ragcli.asking.opening import open_index
from ragcli.config import Settings
from ragcli.evaluate.text_metrics import squad_normalise, token_f1
from ragcli.models.locate import embedder_folder
from ragcli.models.open_reader import open_reader
from ragcli.models.tokens import TokenOffsets
from ragcli.retrieve import Helpers, retrieve, understand
from ragcli.retrieve.auto import asks_for_whole
from ragcli.retrieve.context import fit as fit_context
from ragcli.search.search_index import SearchIndex
from ragcli.types import Hit

SAMPLE = Path(__file__).parent.parent / "sample_corpus"
MOST_WORDS = 6  # of an answer from the novels
NOVELS = 4  # one in so many questions on the novels is asked
DEPTH = 60  # hits, of which some are taken out
FALSE = 0.05  # of questions whose evidence was retrieved may be given up
FOLDS = 5

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Asked:
    """One question in one context: what was found there, and whether the evidence is there.

    ``right`` says whether the short answer is (token F1 of at least a half).
    """

    name: str
    way: str
    id: str
    found: FoundAnswer
    retrieved: bool
    right: bool

    @property
    def fold(self) -> int:
        """The part of the questions that this one belongs to."""
        return int(hashlib.md5(self.id.encode()).hexdigest(), 16) % FOLDS


def store_of(folder: Path, source: Path) -> Path:
    """A store of one set, built unless it is there."""
    store = folder / source.name
    if not store.exists():
        corpus = source / "corpus.jsonl"
        files = [corpus] if corpus.exists() else [source]
        if source.name == "novels":
            files = sorted(source.glob("*.txt"))
        run([*RAGCLI, "index", *files, "--store", store, "--quiet"])
    return store


def cases(source: Path) -> Iterator[dict[str, Any]]:
    """The questions that one passage or more can answer shortly."""
    names = ("questions.jsonl", "unanswerable.jsonl")
    for file in (source / name for name in names if (source / name).exists()):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines()):
            case = json.loads(line)
            short = len(squad_normalise(str(case["answer"])).split()) <= MOST_WORDS
            wanted = source.name != "novels" or (short and number % NOVELS == 0)
            if wanted and not asks_for_whole(case["question"]):
                yield case


def telling(case: dict[str, Any], novel: bool) -> Callable[[Hit], bool]:
    """Whether a hit is evidence."""
    docs = {e if isinstance(e, str) else e["doc"] for e in case.get("evidence", ())}
    if not novel:
        return lambda hit: hit.doc in docs
    wanted = set(squad_normalise(case["answer"]).split())
    source = case["source"]
    return lambda hit: hit.doc.endswith(source) and wanted <= set(squad_normalise(hit.text).split())


def ways(case: dict[str, Any], hits: list[Hit], tells: Callable[[Hit], bool]) -> dict[str, Any]:
    """Hits by the way they are given."""
    if case["answer"] is None:
        return {"un": hits}
    found = {"as": hits, "gone": [hit for hit in hits if not tells(hit)]}
    holding = {h.doc for h in hits if tells(h) and holds(h.text, as_list(case["answer"]))}
    if holding and len(case.get("evidence", ())) > 1 and isinstance(case["evidence"][0], str):
        found["one"] = [hit for hit in hits if hit.doc not in holding]
    return found


def ask(index: SearchIndex, helpers: Helpers, source: Path) -> Iterator[Asked]:
    """Every question of a set in every context."""
    settings = Settings()
    offsets = TokenOffsets(embedder_folder(settings.embedder))
    for case in cases(source):
        question = understand(index.snapshot, case["question"], helpers.encode)
        tells = telling(case, source.name == "novels")
        retrieved = retrieve(index, question, "auto", DEPTH, helpers)
        for way, given in ways(case, list(retrieved.hits), tells).items():
            hits = given[: settings.top_k]
            context = fit_context(hits, settings.budget, lambda text: len(offsets(text)))
            view = look(
                question.text,
                context,
                encode=helpers.encode,
                entities=retrieved.names,
                pool=TUNING.pool,
            )
            if not view.sentences:
                continue
            found = find(question.text, context, view, open_reader())
            if found is not None and found.signs is not None:
                yield asked_of(source.name, way, case, found, any(map(tells, hits)))


def asked_of(
    name: str, way: str, case: dict[str, Any], found: FoundAnswer, retrieved: bool
) -> Asked:
    """What was found, judged by the answers that are known."""
    right = case["answer"] is not None and token_f1(found.text, as_list(case["answer"])) >= 0.5
    return Asked(name, way, case["id"], found, way == "as" and retrieved, right)


def signs_of(asked: Sequence[Asked]) -> Floats:
    """The signs of each, (n, 3)."""
    found = [one.found.signs for one in asked if one.found.signs is not None]
    return np.array([astuple(signs) for signs in found], dtype=np.float64)


def fitted(asked: Sequence[Asked]) -> tuple[Floats, float]:
    """Weights of the signs and the bias; questions with and without evidence weigh the same."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    kept = [one for one in asked if one.name != SAMPLE.name and (one.way != "as" or one.retrieved)]
    scaler = StandardScaler().fit(signs_of(kept))
    model = LogisticRegression(C=0.3, class_weight="balanced", max_iter=1000)
    model.fit(scaler.transform(signs_of(kept)), [one.way == "as" for one in kept])
    weights = model.coef_[0] / scaler.scale_
    return weights, float(model.intercept_[0] - weights @ scaler.mean_)


def kept_apart(asked: Sequence[Asked]) -> Floats:
    """The log odds of being told, each by weights fitted without its fold."""
    found = np.zeros(len(asked))
    for fold in range(FOLDS):
        weights, bias = fitted([one for one in asked if one.fold != fold])
        inside = np.array([one.fold == fold for one in asked])
        found[inside] = signs_of(asked)[inside] @ weights + bias
    return found


def auc(good: Floats, bad: Floats) -> float:
    """Area under the ROC curve."""
    above = (good[:, None] > bad).mean() + (good[:, None] == bad).mean() / 2
    return float(above)


def report(asked: Sequence[Asked]) -> None:
    """AUC and catches by set and way."""
    measures = {
        "near": signs_of(asked)[:, 1],
        "confidence": np.array([one.found.confidence for one in asked]),
        "told": kept_apart(asked),
    }
    rows = []
    for name, way in dict.fromkeys((one.name, one.way) for one in asked if one.way != "as"):
        good = np.array([one.name == name and one.retrieved for one in asked])
        bad = np.array([(one.name, one.way) == (name, way) for one in asked])
        cells = []
        for values in measures.values():
            threshold = np.quantile(values[good], FALSE)
            caught = (values[bad] < threshold).mean()
            cells.append(f"{auc(values[good], values[bad]):.3f}  {100 * caught:3.0f} %")
        rows.append([f"{name} {way}", str(good.sum()), str(bad.sum()), *cells])
    table(("AUC, caught at 5 %", "with", "without", *measures), rows)
    shown = [["given up by ask, %", "right", "with", "one", "gone", "un"]]
    for name in dict.fromkeys(one.name for one in asked):
        some = [one for one in asked if one.name == name]
        groups = [[o for o in some if o.retrieved and o.right], [o for o in some if o.retrieved]]
        groups += [[o for o in some if o.way == way] for way in ("one", "gone", "un")]
        shown.append([name, *(given_up(group) for group in groups)])
    table(shown[0], shown[1:])


def given_up(asked: Sequence[Asked]) -> str:
    """Percent that ``ask`` gives up with the weights and the threshold it has."""
    if not asked:
        return "-"
    least = Settings().min_confidence
    doubted = [o.found.told < LEAST_TOLD or o.found.confidence < least for o in asked]
    return f"{100 * np.mean(doubted):.0f}"


def main() -> None:
    """All sets."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--fit", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        asked: list[Asked] = []
        for source in (*data("hotpotqa-100", "musique-100", "novels"), SAMPLE):
            with open_index(store_of(folder, source), Settings()) as (index, helpers):
                asked += ask(index, helpers, source)
    report(asked)
    if given.fit:
        print_fit(asked)


def print_fit(asked: Sequence[Asked]) -> None:
    """The weights fitted on all sets but the sample corpus, and the threshold for 5 %."""
    weights, bias = fitted(asked)
    odds = signs_of(asked) @ weights + bias
    with_evidence = np.array([one.retrieved and one.name != SAMPLE.name for one in asked])
    least = 1 / (1 + np.exp(-np.quantile(odds[with_evidence], FALSE)))
    print(f"Signs({', '.join(f'{weight:.3f}' for weight in weights)})")
    print(f"BIAS {bias:.3f}, LEAST_TOLD {least:.3f}")


if __name__ == "__main__":
    main()
