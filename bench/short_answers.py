"""How right are the short answers that are given without a language model, and where are they lost?

    RAGCLI_DATA=/path/to/data python bench/short_answers.py FOLDER [--weights PATH ...]
        [--sets NAMES] [--technical DOCUMENTS] [--each FILE]

Questions of HotpotQA-100, MuSiQue-100, the sample corpus and the novels (those with an answer of
few words, every third), those on tales and articles that ``prose.py`` puts together, and those of
``bench/technical`` over DOCUMENTS (what ``technical/collect.py`` gathered), are retrieved by
``auto`` with the default settings. The best
short answer is judged whether ``ask`` would give it or not. Stores, contexts and what each reader
made of each window are kept in FOLDER and used again: delete ``*.contexts`` after a change of
retrieval. ``--weights`` is a folder or file with weights of the reader, several times for several
readers; without it the package's are read.

Shown for each set: EM and token F1 of the short answer, the share with an F1 of at least a half
(*right*), the F1 of what the question does not say itself (*new*: some sets answer in sentences of
their own, "Marazion is located in Cornwall."), the answer's words, and where the others are lost:
*absent*, no accepted answer stands in the passages; *unread*, in none of the windows; *window*,
another window won; *span*, the window but other words. ``--each`` writes every answer to a JSON
Lines file.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import pickle
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import mean
from typing import Any

from measure import RAGCLI, data, run, table
from prose import build

from ragcli.answer.choose import TUNING
from ragcli.answer.short import find
from ragcli.answer.view import View, look
from ragcli.asking.ask import context_of
from ragcli.asking.opening import open_index
from ragcli.asking.several import NamedIndex, found_in
from ragcli.config import Settings
from ragcli.evaluate.text_metrics import contains, exact_match, squad_normalise, token_f1
from ragcli.models.locate import embedder_folder
from ragcli.models.reader import Reader, WindowReading
from ragcli.models.reader.model import WEIGHTS, Passage
from ragcli.retrieve import Helpers
from ragcli.search.search_index import SearchIndex
from ragcli.text.asked_question import AskedQuestion
from ragcli.types import Context

SAMPLE = Path(__file__).parent.parent / "sample_corpus"
TECHNICAL = Path(__file__).parent / "technical" / "questions.jsonl"
UNANSWERED = Path(__file__).parent / "unanswerable.jsonl"
SETS = ("hotpotqa-100", "musique-100", "sample_corpus", "novels", "prose", "technical")
MOST_WORDS = 6  # of an answer from the novels
NOVELS = 3  # one in so many questions on the novels is asked
RIGHT = 0.5  # token F1
SMALL = frozenset(
    "is was were are be been in on at to of by for with as from his her he she they it had has did"
    " that who which into".split()
)


@dataclass(frozen=True)
class Case:
    """One question with what was retrieved for it; ``answers`` is empty if there is no answer.

    ``evidence`` are the documents that tell it, as far as the set names them.
    """

    name: str
    id: str
    type: str
    question: str
    answers: tuple[str, ...]
    context: Context
    view: View
    evidence: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Outcome:
    """What became of one question; ``lost`` is "" if it is right."""

    name: str
    id: str
    type: str
    question: str
    answers: tuple[str, ...]
    short: str
    confidence: float
    told: float
    em: float
    f1: float
    new: float
    lost: str


class RememberingReader(Reader):
    """A reader that keeps what it made of each window on disk."""

    def __init__(self, weights: Path, folder: Path) -> None:
        """Use what is kept for the same weights."""
        super().__init__(embedder_folder("default"), weights)
        file = weights / "reader.safetensors" if weights.is_dir() else weights
        name = hashlib.md5(file.read_bytes()).hexdigest()[:8]
        self._file = folder / f"{name}.readings"
        self._kept: dict[tuple[str, Passage], list[WindowReading]] = {}
        if self._file.exists():
            self._kept = pickle.loads(self._file.read_bytes())
        self._known = len(self._kept)
        self._logits_file = folder / f"{name}.answered"
        self._logits: dict[tuple[str, Passage], float] = {}
        if self._logits_file.exists():
            self._logits = pickle.loads(self._logits_file.read_bytes())
        self.windows: list[tuple[Passage, ...]] = []

    def read(self, question: str, passages: Sequence[Passage]) -> list[WindowReading]:
        """As the reader's own."""
        self.windows.append(tuple(passages))
        new = [one for one in dict.fromkeys(passages) if (question, one) not in self._kept]
        found: dict[Passage, list[WindowReading]] = {one: [] for one in new}
        for reading in super().read(question, new) if new else ():
            found[new[reading.passage]].append(reading)
        self._kept |= {(question, one): readings for one, readings in found.items()}
        return [
            replace(reading, passage=number)
            for number, one in enumerate(passages)
            for reading in self._kept[question, one]
        ]

    def answered(self, questions: Sequence[str], passage: Passage) -> list[float]:
        """As the reader's own."""
        new = [one for one in dict.fromkeys(questions) if (one, passage) not in self._logits]
        for question, logit in zip(new, super().answered(new, passage) if new else (), strict=True):
            self._logits[question, passage] = logit
        return [self._logits[question, passage] for question in questions]

    def keep(self) -> None:
        """Write what is new to disk."""
        if len(self._kept) > self._known:
            self._file.write_bytes(pickle.dumps(self._kept))
            self._known = len(self._kept)
        self._logits_file.write_bytes(pickle.dumps(self._logits))


def questions(name: str, source: Path) -> Iterator[dict[str, Any]]:
    """The questions of one set that one answer or none is right to."""
    if name == "technical":
        files = [TECHNICAL]
    else:
        files = [source / "questions.jsonl", source / "unanswerable.jsonl"]
    for file in filter(Path.exists, files):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines()):
            case = json.loads(line)
            short = len(squad_normalise(str(case.get("answer"))).split()) <= MOST_WORDS
            fact = case.get("type") == "Fact Retrieval" and short and number % NOVELS == 0
            if (name != "novels" or fact) and not AskedQuestion(case["question"]).about_whole:
                yield case
    written = map(json.loads, UNANSWERED.read_text(encoding="utf-8").splitlines())
    yield from (case for case in written if case["set"] == name)


def store_of(folder: Path, name: str, source: Path) -> Path:
    """A store of one set, built unless it is there."""
    store = folder / name
    if not store.exists():
        corpus = source / "corpus.jsonl"
        files = [corpus] if corpus.exists() else [source]
        if name == "novels":
            files = sorted(source.glob("*.txt"))
        if name == "prose":
            files = [source / "documents"]
        run([*RAGCLI, "index", *files, "--store", store, "--quiet"])
    return store


def retrieved(
    index: SearchIndex, helpers: Helpers, asked: str, settings: Settings
) -> tuple[Context, View]:
    """What ``auto`` finds for a question, and the sentences of it as ``ask`` looks at them."""
    stores, question = [NamedIndex("", index)], AskedQuestion(asked)
    (found,), hits = found_in(stores, question, settings, helpers)
    context = context_of(stores, [found], hits, settings, None)
    entities, encode = found.names, helpers.encode
    return context, look(question, context, encode=encode, entities=entities, pool=TUNING.pool)


def cases(folder: Path, name: str, source: Path) -> list[Case]:
    """The questions of one set with their contexts, kept in FOLDER."""
    kept = folder / f"{name}.contexts"
    if kept.exists():
        found: list[Case] = pickle.loads(kept.read_bytes())
        return found
    with open_index(store_of(folder, name, source), settings := Settings()) as (index, helpers):
        found = []
        for case in questions(name, source):
            context, view = retrieved(index, helpers, case["question"], settings)
            answer = case.get("answer")
            answers = (
                () if answer is None else tuple(answer if isinstance(answer, list) else [answer])
            )
            id_, kind = str(case["id"]), str(case.get("type", ""))
            told = {e if isinstance(e, str) else e["doc"] for e in case.get("evidence", ())}
            asked = (name, id_, kind, case["question"], answers)
            found.append(Case(*asked, context, view, frozenset(told)))
    kept.write_bytes(pickle.dumps(found))
    return found


def ask(case: Case, reader: RememberingReader) -> Outcome:
    """The best short answer to one question, judged."""
    reader.windows.clear()
    found = None
    if case.view.sentences:
        found = find(AskedQuestion(case.question), case.context, case.view, reader)
    short, golds = found.text if found else "", list(case.answers)
    f1 = token_f1(short, golds) if golds else 0.0
    lost = ""
    if golds and f1 < RIGHT:
        texts = [part.text for part in (*case.context.parts, *case.context.behind)]
        read = [text for passages in reader.windows for _, text in passages]
        if not any(contains(text, golds) for text in texts):
            lost = "absent"
        elif not any(contains(text, golds) for text in read):
            lost = "unread"
        else:
            lost = (
                "span"
                if found and any(contains(s.text, golds) for s in found.sentences)
                else "window"
            )
    return Outcome(
        case.name,
        case.id,
        case.type,
        case.question,
        case.answers,
        short,
        found.confidence if found else 0.0,
        found.told if found else 0.0,
        float(exact_match(short, golds)) if golds else 0.0,
        f1,
        max((new_f1(case.question, short, gold) for gold in golds), default=0.0),
        lost,
    )


def new_f1(question: str, short: str, gold: str) -> float:
    """Token F1 of what an answer and the accepted one say beside the question, without small words;
    of all they say if the accepted one says nothing else."""
    said = SMALL.union(squad_normalise(question).split())
    new = [
        " ".join(word for word in squad_normalise(text).split() if word not in said)
        for text in (short, gold)
    ]
    return token_f1(new[0], [new[1]]) if new[1] else token_f1(short, [gold])


def groups(outcomes: Sequence[Outcome]) -> Iterator[tuple[str, list[Outcome]]]:
    """The outcomes by set, those with an answer; of some sets their kinds as well."""
    known = [one for one in outcomes if one.answers]
    for name in dict.fromkeys(one.name for one in known):
        yield name, [one for one in known if one.name == name]
        by_kind = name in (SAMPLE.name, "prose")
        kinds = sorted({one.type for one in known if one.name == name and by_kind})
        for kind in kinds:
            yield f"  {kind}", [one for one in known if (one.name, one.type) == (name, kind)]


def report(outcomes: Sequence[Outcome]) -> None:
    """Print a line for each set."""
    rows = []
    for name, some in groups(outcomes):
        lost = [
            str(sum(one.lost == why for one in some))
            for why in ("absent", "unread", "window", "span")
        ]
        words = mean(len(one.short.split()) for one in some)
        figures = [
            f"{mean(one.em for one in some):.3f}",
            f"{mean(one.f1 for one in some):.3f}",
            f"{mean(one.f1 >= RIGHT for one in some):.3f}",
            f"{mean(one.new for one in some):.3f}",
        ]
        rows.append([name, str(len(some)), *figures, f"{words:.1f}", *lost])
    heads = ["set", "n", "EM", "F1", "right", "new", "words", "absent", "unread", "window", "span"]
    table(heads, rows)


def sources(
    wanted: Sequence[str], folder: Path, technical: Path | None
) -> Iterator[tuple[str, Path]]:
    """The name and the folder of each set."""
    for name in wanted:
        if name == SAMPLE.name:
            yield name, SAMPLE
        elif name == "prose":
            build(data("qa-training")[0], folder / "prose-set")
            yield name, folder / "prose-set"
        elif name != "technical":
            yield name, data(name)[0]
        elif technical:
            yield name, technical


def main() -> None:
    """All sets with all weights."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--weights", type=Path, action="append")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--technical", type=Path)
    parser.add_argument("--each", type=Path)
    given = parser.parse_args()
    if given.folder is None:
        print(__doc__)
        return
    given.folder.mkdir(parents=True, exist_ok=True)
    for weights in given.weights or [WEIGHTS]:
        reader = RememberingReader(weights, given.folder)
        outcomes: list[Outcome] = []
        for name, source in sources(given.sets.split(","), given.folder, given.technical):
            outcomes += [ask(case, reader) for case in cases(given.folder, name, source)]
            reader.keep()
            print(f"{name} read", file=sys.stderr)
        print(weights)
        report(outcomes)
        if given.each:
            lines = (json.dumps(asdict(one), ensure_ascii=False) for one in outcomes)
            given.each.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
