"""The hierarchy's words by a language model: asked once, checked, counted, and taken back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from reading import reading

from ragcli.config import Settings
from ragcli.enriching import cluster_naming as author
from ragcli.enriching.cluster_checks import checked, checked_cluster
from ragcli.errors import ConfigError, ModelError
from ragcli.indexing.index import index
from ragcli.indexing.request import IndexRequest
from ragcli.models.completion import Completion, Prompt, Watch
from ragcli.store import hierarchy as kept
from ragcli.store.digest import digest
from ragcli.store.meta import generation, get_meta
from ragcli.store.replies import Recalling
from ragcli.store.snapshot import open_snapshot
from ragcli.store.writer import open_writer
from ragcli.types import IndexResult, silent

SETTINGS = Settings(workers=1)


class Answering:
    """A model that tells of a group by its first two members, of a relation by its first link."""

    parameters, context, fingerprint = 10**9, 8192, "answering"

    def __init__(self) -> None:
        self.asked: list[Prompt] = []
        self.stop_after = 10**6

    def count_tokens(self, text: str) -> int:
        return len(text) // 4

    def complete(
        self, prompts: Iterable[Prompt], watch: Watch | None = None
    ) -> Iterator[tuple[int, Completion]]:
        for at, prompt in enumerate(prompts):
            if len(self.asked) >= self.stop_after:
                raise KeyboardInterrupt
            self.asked.append(prompt)
            yield at, Completion(self.reply(prompt.user), "stop", 1, 1)

    def reply(self, user: str) -> str:
        lines = [line[2:] for line in user.splitlines() if line.startswith("- ")]
        if user.startswith("First:"):
            return lines[0].partition(": ")[2].rstrip(".") + "."
        every = [line.partition(": ")[0] for line in lines]
        plain = [name for name in every if name.replace(" ", "").isalpha()][:2]
        names = plain if len(plain) == 2 else every[:2]
        return f"{' with '.join(names)} | Things like {' and '.join(names)}."


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Answering:
    """The model that every run asks."""
    found = Answering()
    monkeypatch.setattr(author, "open_llm", lambda *_: found)
    monkeypatch.setattr(author, "llm_file", lambda _: Path("model.gguf"))
    return found


def write(store: Path, by: str = "llm", minutes: float | None = None) -> IndexResult:
    return index(IndexRequest(store, hierarchy_by=by, minutes=minutes), SETTINGS)


def found_in(store: Path) -> tuple[dict[int, dict[str, Any]], int, int]:
    """Nodes by row, relations with a model's words, generation."""
    with reading(store) as db:
        nodes = {n["id"]: n for n in kept.listing(db)["nodes"]}
        worded = db.execute("SELECT count(text) FROM hierarchy_relations").fetchone()[0]
        return nodes, worded, generation(db)


def test_clusters_and_relations_get_a_models_words(
    own: tuple[Path, Path], model: Answering
) -> None:
    """Every cluster, then every strong relation; the second run has nothing to ask."""
    _, store = own
    before, _, _ = found_in(store)
    result = write(store)
    nodes, worded, now = found_in(store)
    assert nodes.keys() == before.keys()
    assert {n["by"] for n in nodes.values()} == {"llm 1.answering"}
    assert all(n["text"].startswith("Things like") for n in nodes.values())
    assert len({n["name"] for n in nodes.values() if n["level"] == 1}) == len(
        [n for n in nodes.values() if n["level"] == 1]
    )
    assert worded and result.hierarchy_words["written"] == len(nodes) + worded
    assert all(
        reason.startswith(("relation", "no text")) for reason in result.hierarchy_words["refused"]
    ), result.hierarchy_words["refused"]
    assert result.hierarchy_words["written"] <= result.llm_calls == len(model.asked)
    # Clusters of a higher level are told of in the words of the lower one.
    upper = [p.user for p in model.asked if "Things like" in p.user]
    assert len(upper) == sum(n["level"] > 1 for n in nodes.values())
    again = write(store)
    assert (
        again.generation == now and again.llm_calls == 0 and again.hierarchy_words["waiting"] == 0
    )


def test_an_update_asks_about_what_it_touches(own: tuple[Path, Path], model: Answering) -> None:
    """One new name: its cluster and those above are asked about again, no other."""
    docs, store = own
    write(store)
    before, _, _ = found_in(store)
    model.asked.clear()
    (docs / "new.md").write_text(
        "# Harbour\n\nOttoline Vanstreek is the harbour master of Port Vale. Ottoline Vanstreek"
        " keeps the tide tables.\n"
    )
    index(IndexRequest(store), SETTINGS)
    nodes, _, _ = found_in(store)
    assert {n["by"] for n in nodes.values()} == {"llm 1.answering"}
    groups = [p.user for p in model.asked if p.user.startswith("Things:")]
    levels = max(n["level"] for n in nodes.values())
    assert 1 <= len(groups) < len(nodes)
    assert sum("Ottoline Vanstreek" in user for user in groups) >= 1
    kept_ = [i for i in nodes if nodes[i]["text"] == before[i]["text"]]
    assert len(kept_) >= len(nodes) - len(groups) and levels >= 1


def test_a_stopped_run_pays_for_nothing_twice(own: tuple[Path, Path], model: Answering) -> None:
    """Killed in the middle: nothing shows, and the next run asks only for the rest."""
    _, store = own
    before, _, _ = found_in(store)
    model.stop_after = 4
    with pytest.raises(KeyboardInterrupt):
        write(store)
    assert found_in(store)[0] == before
    model.stop_after = 10**6
    write(store)
    assert len(set(model.asked)) == len(model.asked)
    with reading(store) as db:
        assert get_meta(db, "llm_calls") == str(len(model.asked))
    nodes, _, _ = found_in(store)
    assert {n["by"] for n in nodes.values()} == {"llm 1.answering"}


def test_replies_in_use_are_known(own: tuple[Path, Path], model: Answering) -> None:
    """A sweep of replies wants every one again that the words as they are were made of."""
    _, store = own
    write(store)
    with open_writer(store) as writer:
        replies = Recalling(model, writer.replies)
        author.ClusterNamer(writer, replies, again=True).write(lambda _: None, silent)
        assert replies.forget_others() == 0


def test_no_time_leaves_all_waiting(own: tuple[Path, Path], model: Answering) -> None:
    """--max-minutes 0: nothing is asked, and the plain words stay."""
    _, store = own
    before, _, _ = found_in(store)
    result = write(store, minutes=0)
    assert not model.asked and result.hierarchy_words["waiting"] >= len(before)
    assert found_in(store)[0] == before


def test_words_are_taken_back(own: tuple[Path, Path], model: Answering) -> None:
    """--hierarchy-by extractive ends where the store was before any model was asked."""
    _, store = own
    with open_snapshot(store) as snapshot:
        before = digest(snapshot)
    write(store)
    write(store, "extractive")
    with open_snapshot(store) as snapshot:
        assert digest(snapshot) == before
    assert write(store, "extractive").generation == found_in(store)[2]


def test_what_cannot_be(own: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """An unknown writer; no model where one is asked for; with --llm none it is asked later."""
    _, store = own
    with pytest.raises(ConfigError, match="unknown writer"):
        write(store, "human")
    monkeypatch.setattr(author, "llm_file", lambda _: None)
    with pytest.raises(ModelError):
        write(store)
    result = index(IndexRequest(store, hierarchy_by="llm"), Settings(workers=1, llm="none"))
    assert result.llm_calls == 0


MEMBERS = [("Vega", "The Vega sank in 1921 off Cape Wend."), ("Halma", "The Halma carried coal.")]


@pytest.mark.parametrize(
    ("reply", "kept_", "reason"),
    [
        ("Coal ships | The Vega sank in 1921 and the Halma carried coal.", (True, True), ""),
        ("Vega | The Halma carried coal.", (False, True), "name: that of a member"),
        ("Vega: a coal | The Halma carried coal.", (False, True), "name: that of a member"),
        ("Taken | The Halma carried coal.", (False, True), "name: that of another cluster"),
        ("Ships of Spain | The Halma carried coal.", (False, True), "name: not in the members'"),
        ("Coal | The Vega sank in 1912.", (True, False), "description: not in the members'"),
        ("Coal | The Vega sank off Genoa.", (True, False), "description: not in the members'"),
        ("Coal | The Vega sank. The Vega sank.", (True, False), "description: says a thing twice"),
        ("Coal | The Vega sank in", (True, False), "description: not a whole sentence"),
    ],
)
def test_what_the_members_do_not_say_is_not_kept(
    reply: str, kept_: tuple[bool, bool], reason: str
) -> None:
    """Each part of a reply is judged by itself, and counted."""
    refused: Counter[str] = Counter()
    found = checked_cluster(Completion(reply, "stop", 1, 1), MEMBERS, {"taken"}, refused)
    assert tuple(map(bool, found)) == kept_
    assert [r.startswith(reason) for r in refused] == ([True] if reason else [])


def test_a_cut_reply_is_nothing() -> None:
    refused: Counter[str] = Counter()
    reply = Completion("Coal | The Halma carried coal.", "loop", 1, 1)
    assert checked_cluster(reply, MEMBERS, set(), refused) == ("", "")
    assert refused == {"reply cut: loop": 1}


def test_an_opening_word_is_no_name() -> None:
    """ "Several ..." names nobody; a name that opens a sentence must still stand there."""
    refused: Counter[str] = Counter()
    said = "The Vega carried coal."
    assert checked("Several carried coal.", said, "relation", refused)
    assert not checked("Rosa carried coal.", said, "relation", refused)
