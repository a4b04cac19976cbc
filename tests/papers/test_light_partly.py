"""A store that is described bit by bit: what is not yet described stays as findable as it was."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from scripted import Scripted
from searching import searching

from ragcli.config import Settings
from ragcli.enriching.additions import Additions
from ragcli.enriching.chunk_reading import method_of
from ragcli.enriching.describing import describe
from ragcli.evaluate.datasets import load
from ragcli.evaluate.matching import document_ranks, wanted_documents
from ragcli.evaluate.rank_metrics import recall
from ragcli.indexing.commit import CommitContext, commit
from ragcli.models.model_set import ModelSet
from ragcli.stage_timer import StageTimer
from ragcli.store.findings import ChunkFindings
from ragcli.store.writer import open_writer
from ragcli.types import silent

SETTINGS = Settings(workers=1)
MODES = ("local", "global", "hybrid", "mix")
CASES = load(Path(__file__).parents[2] / "sample_corpus" / "questions.jsonl").cases[::2]
# One question in twenty finds one document of two less.
NOISE = 0.025


class Mute(Scripted):
    """Says nothing, so that the text's own sentences describe; too small to be asked for more."""

    parameters = 135_000_000


@pytest.fixture(scope="module")
def bit_by_bit(
    sample_store: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[list[Mapping[str, float]]]:
    """recall@5 by mode: of the fast store, half described, and described."""
    store = tmp_path_factory.mktemp("partly") / "store"
    shutil.copytree(sample_store, store)
    with open_writer(store) as writer:
        writer.hierarchy.ask_for(False)  # a hierarchy would be made again each time
        model, found = Mute(""), list[ChunkFindings]()
        method = method_of("hybrid", model, SETTINGS)
        describe(writer, model, method, found.extend, silent)
        figures: list[Mapping[str, float]] = [recalls(store)]
        context = CommitContext(writer, ModelSet(SETTINGS), StageTimer(), silent)
        for half in (found[: len(found) // 2], found[len(found) // 2 :]):
            commit(context, Additions(half))
            figures.append(recalls(store))
        yield figures


def recalls(store: Path) -> dict[str, float]:
    """Mean recall@5 of the sample corpus's questions by mode."""
    sums = dict.fromkeys(MODES, 0.0)
    with searching(store, SETTINGS) as search:
        for case in CASES:
            question = search.understand(case.question)
            for mode in MODES:
                hits = search.hits(question, mode, 15)
                sums[mode] += recall(document_ranks(wanted_documents(case.evidence), hits), 5)
    return {mode: total / len(CASES) for mode, total in sums.items()}


@pytest.mark.parametrize("mode", MODES)
def test_no_mode_finds_less_than_in_the_fast_store(
    bit_by_bit: list[Mapping[str, float]], mode: str
) -> None:
    """Half way and at the end, but for what is one question's."""
    fast, *upgraded = (figures[mode] for figures in bit_by_bit)
    assert min(upgraded) >= fast - NOISE


def test_all_modes_together_find_more(bit_by_bit: list[Mapping[str, float]]) -> None:
    """What is described helps, taken over the modes."""
    fast, *_, whole = (sum(figures.values()) for figures in bit_by_bit)
    assert whole > fast
