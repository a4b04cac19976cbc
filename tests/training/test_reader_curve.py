"""The learning curve's rows: what each changes, and how they are compared."""

from __future__ import annotations

from dataclasses import asdict, replace

import numpy as np
import pytest
import torch

from ragcli.models.locate import embedder_folder
from training.reader.curve import BASE, ROWS
from training.reader.data import Example, Passage, Pool
from training.reader.losses import apart_loss, span_loss
from training.reader.measured import above, table
from training.reader.model import LAYERS, Reader
from training.reader.train import Settings, plan, scale
from training.reader.windows import CLS, Group, Maker, Window

SENTENCES = " ".join(
    f"The {word} tower of Skarvoy is old." for word in "red blue tall wide".split()
)
TEXT = f"{SENTENCES * 12} Jonas Vik raised it in 1880. {SENTENCES * 12}"


def example(number: int, source: str) -> Example:
    """A question about the one sentence in the middle."""
    at = TEXT.index("Jonas Vik")
    passage = Passage("Skarvoy", TEXT, ((at, at + 9),))
    return Example(
        source, f"Who raised tower {number}?", (passage,), "span", "", ("Jonas Vik",), ()
    )


def test_rows_change_one_thing() -> None:
    """Every row is the base row but for one setting, and for how much it reads."""
    base, size = asdict(BASE), {"examples", "tokens"}
    changed = {
        name: {key for key, value in asdict(row).items() if value != base[key]} - size
        for name, row in ROWS.items()
    }
    assert changed == {
        "10k": set(),
        "30k": set(),
        "100k": set(),
        "apart": {"shared"},
        "fresh": {"fresh"},
        "evenly": {"layer_decay"},
        "no-claims": {"claims", "later_claims"},
        "long": {"crop"},
        "short": {"crop"},
    }


def test_as_many_examples_are_planned_as_were_asked_for() -> None:
    """Questions and claims together; and without claims the same questions."""
    examples = [example(number, "nq") for number in range(60)]
    settings = Settings(examples=50)
    maker = Maker(embedder_folder(), Pool(examples))
    order = plan(examples, scale(examples, maker, settings), settings)
    assert 48 <= len(order) <= 52
    asked = [at for at, kind in order if kind == "question"]
    assert 0.5 * len(order) < len(asked) < 0.9 * len(order)
    bare = replace(settings, claims=0.0, later_claims=0.0, examples=len(asked))
    alone = plan(examples, scale(examples, maker, bare), bare)
    assert sorted(at for at, _ in alone) == sorted(asked)


def test_crops_of_one_length() -> None:
    """Every crop has about the tokens that were asked for; drawn ones differ."""
    one = example(0, "nq")
    rng = np.random.default_rng(3)

    def lengths(crop: int) -> list[int]:
        maker = Maker(embedder_folder(), Pool([one]), crop)
        return [len(maker.group(one, rng).windows[0].ids) for _ in range(12)]

    assert max(lengths(96)) < 96 + 40 < min(lengths(288))
    assert max(lengths(0)) - min(lengths(0)) > 64


def test_fresh_layers_forget_the_embedder() -> None:
    """The upper ones, and no other."""
    kept, fresh = Reader(embedder_folder()).named(), Reader(embedder_folder(), fresh=2).named()
    changed = {
        int(name.split(".")[2])
        for name, tensor in fresh.items()
        if name.startswith("encoder.") and not torch.equal(tensor, kept[name])
    }
    assert changed == {LAYERS - 2, LAYERS - 1}
    inner = fresh[f"encoder.layer.{LAYERS - 1}.intermediate.dense.weight"]
    assert float(inner.detach().std()) == pytest.approx(0.02, rel=0.05)
    assert not fresh[f"encoder.layer.{LAYERS - 1}.output.LayerNorm.bias"].any()


def test_windows_normalised_apart() -> None:
    """Each by itself: what a window without the answer says elsewhere changes nothing there."""
    ids = np.array([CLS, 1, 102, 5, 6, 7, 102])
    answering, other = Window(ids, 3, 3, ((4, 5),)), Window(ids, 3, 3)
    group, bounds = Group((answering, other), "span"), [(0, 7), (7, 14)]
    scores = torch.randn(14, 2, generator=torch.Generator().manual_seed(1))
    alone = [
        span_loss(scores, Group((answering,), "span"), bounds[:1]),
        span_loss(scores, Group((other,), "none"), bounds[1:]),
    ]
    assert apart_loss(scores, group, bounds) == pytest.approx(float(sum(alone)) / 2)
    louder = scores.clone()
    louder[7:] += 3.0  # in all of the other window: by itself that says nothing
    assert apart_loss(louder, group, bounds) == pytest.approx(
        float(apart_loss(scores, group, bounds)), rel=1e-5
    )
    assert span_loss(louder, group, bounds) > span_loss(scores, group, bounds) + 1.0


def test_the_table_tells_gains_and_their_error() -> None:
    """Paired by question: equal gains on every question have no error."""
    base = {"em": [0.0, 100.0], "f1": [20.0, 100.0], "em_between": [0, 0], "f1_between": [0, 50]}
    better = base | {"f1": [30.0, 110.0]}
    found = {
        name: {"sources": {"nq": row | {"auc": 0.8}}, "claims_auc": 0.7}
        for name, row in (("base", base), ("better", better))
    }
    *_, first, second = table(found)
    assert first == "| base | 60.0 | 50.0 | 60.0 | +0.0 ± 0.0 | 25.0 | 0.800 | 0.700 |"
    assert "| 70.0 | +10.0 ± 0.0 |" in second
    mean, error = above([np.array([4.0, 0.0])], [np.array([0.0, 0.0])])
    assert (mean, error) == (2.0, 2.0)
