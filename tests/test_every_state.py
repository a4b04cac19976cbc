"""Every retrieval mode and way to answer, in every state that a store can be in.

A promise of ``ask`` holds in all of them: it answers or says that it cannot, quotes exactly, and
shows live documents only. States are made from a few small documents, so that all of them run.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import ragcli
from ragcli.api import Store
from ragcli.config import MODES, Settings
from ragcli.errors import InputError, ModelError, StoreError, StoreMissing
from ragcli.maintaining import bundles
from ragcli.search import derive
from ragcli.store import derived
from ragcli.types import Answer, Scope

SETTINGS = Settings(workers=1, answer="extractive", llm="none", min_confidence=0.0)
TEXTS = {
    "pump.md": "---\nauthor: Ada\n---\n# Pump\n\nThe pump of the Skive harbour was repaired by Ilse"
    " Brandt in 1987. Ilse Brandt sent the bill to Tom Berg. It cost 4,200 crowns.\n",
    "tower.md": "# Tower\n\nThe tower of Tarnby was built by Lorenz Abt in 1712. Lorenz Abt was"
    " born in Skive. Its bell weighs two tons.\n",
    "law/nets.txt": "The law of fishing was signed by Maria Holm on 3 May 1901. Maria Holm forbade"
    " nets with meshes under four centimetres in Skive.\n",
}
CHINESE = {
    "泵.md": "# 水泵\n\n港口的水泵由王小明于1987年修理。修理费用为四千元。\n",
    "塔.md": "# 高塔\n\n这座高塔由李建国于1712年建造。钟重两吨。\n",
}
NAMED = "Who repaired the pump of the Skive harbour?"
BETWEEN = "What did Ilse Brandt send to Tom Berg?"
WHOLE = "Give me an overview of all the documents."
MISSING = "Which zeppelin crossed Patagonia?"


class Stop(BaseException):
    """Stands for the end of the process."""


@dataclass(frozen=True)
class State:
    """A store, the text of each of its live documents, and a question that one of them answers."""

    store: Path
    texts: dict[str, str]
    question: str = NAMED
    scope: Scope | None = None
    hierarchy: bool = True


def write(folder: Path, texts: dict[str, str]) -> Path:
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def build(made: Path, texts: dict[str, str], hierarchy: bool = True) -> Path:
    docs, store = write(made / "docs", texts), made / "s"
    ragcli.index(docs, store, settings=SETTINGS, hierarchy=hierarchy)
    return store


def fresh(made: Path) -> State:
    return State(build(made, TEXTS), TEXTS)


def without_a_hierarchy(made: Path) -> State:
    return State(build(made, TEXTS, hierarchy=False), TEXTS, hierarchy=False)


def updated(made: Path) -> State:
    """Three times: a document is new, another changes, a third is renamed, one is deleted."""
    before = {
        **TEXTS,
        "pump.md": "The pump stands still.\n",
        "old.md": "Nobody repairs the pump.\n",
    }
    del before["tower.md"]
    store = build(made, before)
    docs = made / "docs"
    write(docs, {"tower.md": TEXTS["tower.md"]})
    ragcli.update(store, settings=SETTINGS)
    write(docs, TEXTS)
    (docs / "old.md").unlink()
    ragcli.update(store, settings=SETTINGS)
    (docs / "law" / "nets.txt").rename(docs / "law" / "meshes.txt")
    ragcli.update(store, settings=SETTINGS)
    texts = {**TEXTS, "law/meshes.txt": TEXTS["law/nets.txt"]}
    del texts["law/nets.txt"]
    return State(store, texts)


def killed(made: Path) -> State:
    """In an update, when all documents are written and none is committed."""
    store = build(made, TEXTS)
    write(made / "docs", {"pump.md": "Nothing here is committed by Ilse Brandt.\n"})
    write(made / "docs", {"more.md": "More of Skive that is not committed.\n"})
    (made / "docs" / "tower.md").unlink()

    def stop(*_: object, **__: object) -> None:
        raise Stop

    with pytest.MonkeyPatch.context() as patch, contextlib.suppress(Stop):
        patch.setattr(derive, "journal", stop)
        ragcli.update(store, settings=SETTINGS)
    return State(store, TEXTS)


def continued(made: Path) -> State:
    """The update that was killed runs again."""
    state = killed(made)
    ragcli.update(state.store, settings=SETTINGS)
    texts = {
        "pump.md": "Nothing here is committed by Ilse Brandt.\n",
        "more.md": "More of Skive that is not committed.\n",
        "law/nets.txt": TEXTS["law/nets.txt"],
    }
    return State(state.store, texts, "Who signed the law of fishing?")


def emptied(made: Path) -> State:
    """All documents are gone."""
    store = build(made, TEXTS)
    for name in TEXTS:
        (made / "docs" / name).unlink()
    ragcli.update(store, settings=SETTINGS)
    return State(store, {}, hierarchy=False)


def refilled(made: Path) -> State:
    state = emptied(made)
    write(made / "docs", TEXTS)
    ragcli.update(state.store, settings=SETTINGS)
    return State(state.store, TEXTS)


def rebuilt(made: Path) -> State:
    store = build(made, TEXTS)
    ragcli.index(made / "docs", store, settings=SETTINGS, rebuild=True, hierarchy=True)
    return State(store, TEXTS)


def imported(made: Path) -> State:
    """From a bundle, on a machine that has not the documents."""
    store = build(made, TEXTS)
    bundles.export(store, made / "b.ragcli")
    shutil.rmtree(made / "docs")
    bundles.import_(made / "b.ragcli", made / "imported")
    return State(made / "imported", TEXTS)


def one_document(made: Path) -> State:
    texts = {"pump.md": TEXTS["pump.md"]}
    return State(build(made, texts), texts)


def one_word(made: Path) -> State:
    """A document without a sentence, a name or a relation."""
    return State(build(made, {"a.txt": "pump\n"}), {"a.txt": "pump\n"}, "pump", hierarchy=False)


def not_english(made: Path) -> State:
    return State(build(made, CHINESE), CHINESE, "谁修理了港口的水泵?")


def scoped(made: Path) -> State:
    """To a single document."""
    store = build(made, TEXTS)
    texts = {"pump.md": TEXTS["pump.md"]}
    return State(store, texts, scope=Scope.of(where=["author=Ada"]))


STATES: tuple[Callable[[Path], State], ...] = (
    *(fresh, without_a_hierarchy, updated, killed, continued, emptied, refilled, rebuilt, imported),
    *(one_document, one_word, not_english, scoped),
)


@pytest.fixture(scope="module", params=STATES, ids=lambda make: make.__name__)
def opened(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[State, Store]]:
    """A store in each state, open."""
    state = request.param(tmp_path_factory.mktemp("state"))
    with Store.open(state.store, SETTINGS) as store:
        yield state, store


def ask(opened: tuple[State, Store], question: str, mode: str, answer: str) -> Answer | None:
    """The answer; None for the one mode that needs what a store need not have."""
    state, store = opened
    try:
        return store.ask(question, mode=mode, answer=answer, scope=state.scope)
    except StoreError as error:
        assert mode == "lean" and not state.hierarchy and "hierarchy" in str(error)
        return None


@pytest.mark.parametrize("answer", ["extractive", "none"])
@pytest.mark.parametrize("mode", MODES)
def test_what_is_shown_stands_in_live_documents(
    opened: tuple[State, Store], mode: str, answer: str
) -> None:
    """Every hit and quote, to the character; an answer has a citation, or says that it is none."""
    state, store = opened
    # Reading an answer takes longer than all else.
    more = (state.question, BETWEEN) if answer == "none" else ()
    for question in (WHOLE, MISSING, *more):
        found = ask(opened, question, mode, answer)
        if found is None:
            continue
        assert {hit.doc for hit in found.hits} <= state.texts.keys()
        for hit in found.hits:
            assert store.text(hit.doc, hit.start, hit.end) == hit.text != ""
        for cited in found.reply.citations:
            assert cited.doc in state.texts
            assert store.text(cited.doc, cited.start, cited.end) == cited.quote != ""
        if answer == "none":
            assert found.reply.by == "none" and not found.reply.text
        else:
            assert bool(found.reply.citations) == bool(found.reply.text) != found.reply.abstained


@pytest.mark.parametrize("mode", MODES)
def test_the_document_that_answers_comes_first(opened: tuple[State, Store], mode: str) -> None:
    """And its words answer; an empty store has no hits and says so."""
    state, store = opened
    found = ask(opened, state.question, mode, "extractive")
    if found is None:
        return
    if not state.texts:
        assert not found.hits and found.reply.abstained and not found.reply.citations
        return
    assert found.hits, f"{mode} finds nothing"
    right = next(name for name in state.texts if holds_answer(state, name))
    assert found.hits[0].doc == right
    assert not found.reply.abstained and found.reply.citations[0].doc == right
    (cited, *_) = found.reply.citations
    assert store.text(cited.doc, cited.start, cited.end) == cited.quote != ""


def holds_answer(state: State, name: str) -> bool:
    """Whether a document answers the question of a state."""
    words = {NAMED: "repaired by", "pump": "pump", "Who signed the law of fishing?": "signed by"}
    return words.get(state.question, "修理") in state.texts[name]


def test_what_cannot_be_is_an_error(opened: tuple[State, Store]) -> None:
    """A scope that selects nothing, and a model that is not there, before any mode is asked."""
    _, store = opened
    with pytest.raises(InputError, match="pdf"):
        store.ask(NAMED, scope=Scope.of(types="pdf"))
    with pytest.raises(ModelError, match="no language model"):
        store.ask(NAMED, answer="llm")


def test_a_first_run_that_was_killed_is_no_store(tmp_path: Path) -> None:
    """There is nothing to read yet; the next run completes it."""

    def stop(*_: object, **__: object) -> None:
        raise Stop

    with pytest.MonkeyPatch.context() as patch, contextlib.suppress(Stop):
        patch.setattr(derived, "publish", stop)
        build(tmp_path, TEXTS)
    with pytest.raises(StoreMissing):
        Store.open(tmp_path / "s", SETTINGS)
    with Store.open(build(tmp_path, TEXTS), SETTINGS) as store:
        assert store.ask(NAMED).reply.citations[0].doc == "pump.md"
