"""Names and descriptions of clusters, and their relations, in the words of a language model.

    members and what links them -> prompts, lowest level first -> ask -> check -> commit

``indexing/hierarchy_update.py`` builds the clusters and their first texts without a model. These
texts stay when the members' texts do not support a reply. A cluster with a model's text is not
asked about again until an update changes it. Replies are kept as they come, so a stopped run loses
none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from pathlib import Path
from typing import Any

from ragcli.config import Settings
from ragcli.enriching.cluster_checks import checked, checked_cluster, whole
from ragcli.errors import ConfigError, ModelError
from ragcli.extract.llm import cluster_prompts
from ragcli.graph.cluster_text import TAU, relation_text
from ragcli.models import BIG_MODEL_PARAMETERS
from ragcli.models.completion import Completion, Prompt, Watch
from ragcli.models.locate import llm_file
from ragcli.models.model_set import ModelSet
from ragcli.models.open_llm import open_llm
from ragcli.search.evidence import Evidence, sentence_with
from ragcli.stage_timer import has_passed
from ragcli.store.hierarchy import ClusterNode, ClusterText, ClusterWords
from ragcli.store.replies import Remembering
from ragcli.store.writer import StoreWriter
from ragcli.text.words import fold
from ragcli.types import Event, Report

# Who writes the texts: "auto" is a big language model that also reads the chunks, "extractive" is
# no model, "llm" is any model.
WRITERS = ("auto", "extractive", "llm")
# Relations of a cluster that the model describes, the strongest; all would be quadratic.
RELATIONS = 5
# Relations between members that a prompt shows.
_LINKS = 5
ShowWords = Callable[[ClusterWords], None]


@dataclass(slots=True)
class NamingOutcome:
    """How many clusters and relations have a model's text now, how many wait, and the reasons why
    replies were refused."""

    done: int = 0
    asked: bool = False
    waiting: int = 0
    calls: int = 0
    tokens: int = 0
    refused: Counter[str] = field(default_factory=Counter)

    def listing(self) -> dict[str, Any]:
        """The value for ``IndexResult.hierarchy_words``; {} when no model was asked."""
        found = {"written": self.done, "waiting": self.waiting}
        return found | {"refused": dict(self.refused.most_common())} if self.asked else {}


class ClusterNamer:
    """Writes the texts of a store's hierarchy with one model."""

    def __init__(self, store: StoreWriter, model: Remembering, *, again: bool = False) -> None:
        """``again``: also ask about clusters that have this model's text."""
        self._again = again
        self._store = store
        self._model = model
        self._by = f"llm {cluster_prompts.VERSION}.{model.fingerprint}"
        self._nodes: dict[int, ClusterNode] = {}
        self._now = ClusterWords(self._by, {}, {})
        self._deadline: float | None = None

    def write(
        self, show: ShowWords, report: Report, deadline: float | None = None
    ) -> NamingOutcome:
        """Ask about everything that waits until ``deadline`` (``time.monotonic``); ``show`` commits
        all texts at once."""
        calls, tokens = self._model.calls, self._model.tokens
        self._nodes = self._store.hierarchy.nodes()
        self._deadline = deadline
        out = NamingOutcome(asked=True)
        for level in sorted({node.level for node in self._nodes.values()}):
            self._name(level, out, report)
        for level in sorted({node.level for node in self._nodes.values()}):
            self._relate(level, out, report)
        if self._now.nodes or self._now.relations:
            show(self._now)
        out.calls, out.tokens = self._model.calls - calls, self._model.tokens - tokens
        return out

    def _name(self, level: int, out: NamingOutcome, report: Report) -> None:
        """Names and descriptions of one level's clusters."""
        todo = [
            n
            for n in self._nodes.values()
            if n.level == level and (self._again or n.by != self._by)
        ]
        members = {n.id: self._members(n) for n in todo}
        asked = [
            cluster_prompts.about_cluster(
                members[n.id], self._inside(n), self._model.context, self._model.count_tokens
            )
            for n in todo
        ]
        taken = Counter(fold(n.name) for n in self._nodes.values() if n.level == level)
        for at, reply in self._replies(asked, out, report):
            node = todo[at]
            others = {name for name, n in taken.items() if n > (name == fold(node.name))}
            name, text = checked_cluster(reply, members[node.id], others, out.refused)
            if not (name or text):
                continue
            out.done += 1
            words = ClusterText(name or node.name, text or node.text)
            taken[fold(words.name)] += 1
            self._now.nodes[node.id] = words
            self._nodes[node.id] = replace(
                node, name=words.name, text=words.description, by=self._by
            )

    def _relate(self, level: int, out: NamingOutcome, report: Report) -> None:
        """One level's relations that aggregate more than TAU, the strongest of each cluster."""
        todo, links = [], []
        seen: Counter[int] = Counter()
        for r in self._store.hierarchy.relations_of_many(level, TAU):
            if min(seen[r.a], seen[r.b]) < RELATIONS and (self._again or r.text is None):
                todo.append((r.a, r.b))
            seen.update((r.a, r.b))
        for a, b in todo:
            links.append(self._between(level, a, b))
        asked = [
            cluster_prompts.about_relation(
                self._nodes[a].name,
                self._nodes[b].name,
                said,
                self._model.context,
                self._model.count_tokens,
            )
            if said
            else None
            for (a, b), said in zip(todo, links, strict=True)
        ]
        for at, reply in self._replies(asked, out, report):
            a, b = todo[at]
            said = " . ".join([self._nodes[a].name, self._nodes[b].name, *links[at]])
            if text := checked(whole(reply, out.refused), said, "relation", out.refused):
                self._now.relations[a, b] = text
                out.done += 1

    def _replies(
        self, asked: Sequence[Prompt | None], out: NamingOutcome, report: Report
    ) -> list[tuple[int, Completion]]:
        """Replies by position, in order; prompts after the deadline wait."""
        at = [i for i, prompt in enumerate(asked) if prompt is not None]
        if missing := len(asked) - len(at):
            out.refused["no text, or too much text for the model's context"] += missing
        in_time = takewhile(
            lambda _: not has_passed(self._deadline), (p for p in asked if p is not None)
        )
        found = []
        for done, (i, reply) in enumerate(self._model.complete(in_time, Watch(self._deadline))):
            report(Event("words", done, len(at)))
            found.append((at[i], reply))
        out.waiting += len(at) - len(found)
        return sorted(found, key=lambda pair: pair[0])

    def _members(self, node: ClusterNode) -> list[tuple[str, str]]:
        """(name, description) of the members of a cluster, by name."""
        if node.level > 1:
            below = [n for n in self._nodes.values() if n.parent == node.id]
            return sorted((n.name, n.text) for n in below)
        return self._store.hierarchy.texts_of_members(node.id)

    def _inside(self, node: ClusterNode) -> list[str]:
        """Profiles of relations inside a cluster of the lowest level, strongest first."""
        if node.level > 1:
            return []
        return self._store.hierarchy.profiles_inside(node.id, _LINKS)

    def _between(self, level: int, a: int, b: int) -> list[str]:
        """What links members of two clusters: sentences, or texts of the level below."""
        found = self._store.hierarchy.strongest_links(level, a, b, _LINKS)
        return list(filter(None, map(self._entities if level == 1 else self._clusters, found)))

    def _entities(self, link: tuple[int, int, int]) -> str:
        """The profile of two entities, else a sentence that names both."""
        a, b, _ = link
        text = self._store.profiles.text_of_pair(a, b)
        if not text and (found := self._sentence(a, b)):
            text = found.text
        names = self._store.names
        return f"{names.of(a)}, {names.of(b)}: {text}" if text else ""

    def _sentence(self, a: int, b: int) -> Evidence | None:
        """A sentence of the committed documents that names two entities."""
        snapshot = self._store.snapshot()
        return sentence_with(snapshot.chunks, snapshot.entities, (a, b))

    def _clusters(self, link: tuple[int, int, int]) -> str:
        """The text of the relation of two clusters of the level below."""
        a, b = sorted(link[:2])
        names_ = f"{self._nodes[a].name}, {self._nodes[b].name}"
        hierarchy = self._store.hierarchy
        text = self._now.relations.get((a, b)) or hierarchy.text_of_relation(a, b)
        if text is None:
            level = self._nodes[a].level
            pairs = hierarchy.strongest_links(level, a, b, TAU)
            text = relation_text(hierarchy.names_of_links(level - 1, pairs), link[2])
        return f"{names_}: {text}"


def choose_cluster_namer(
    store: StoreWriter, reading: Remembering | None, models: ModelSet
) -> ClusterNamer | None:
    """The namer of the hierarchy; None when no model writes it, or there is no hierarchy.

    ``reading``: the model that reads the chunks in this run, if any. Raises ModelError when a
    model is asked for and there is none.
    """
    known = store.hierarchy.state()
    if known is None or known.unwanted or known.by == "extractive":
        return None
    if known.by == "auto":
        big = reading is not None and reading.parameters >= BIG_MODEL_PARAMETERS
        return ClusterNamer(store, reading) if reading is not None and big else None
    if reading is not None:
        return ClusterNamer(store, reading)
    file = _model_file(models.settings)
    if file is None:
        return None
    return ClusterNamer(store, Remembering(open_llm(file, models.settings), store.replies))


def check_writer(by: str, settings: Settings) -> None:
    """Raises ConfigError for an unknown writer, ModelError for a model that is not there."""
    if by and by not in WRITERS:
        raise ConfigError(
            f"unknown writer {by!r} of the hierarchy", f"choose: {', '.join(WRITERS)}"
        )
    if by == "llm":
        _model_file(settings)


def _model_file(settings: Settings) -> Path | None:
    """The file of the model; None with ``--llm none``."""
    file = llm_file(settings.llm)
    if file is None and settings.llm != "none":
        raise ModelError(
            "--hierarchy-by llm needs a language model",
            "name a GGUF file with --llm, or use: --hierarchy-by extractive",
        )
    return file
