"""Made passages: names are where they are told to be, and a document depends on its number only."""

from __future__ import annotations

import sys
from collections import Counter
from random import Random

import numpy as np
from conftest import ROOT

# At the end: bench has a file of the name of a library, llm.
sys.path.append(str(ROOT / "bench"))

from made_passages import Bases, Maker, Names, exchange

FAMILIAR = {
    "PERSON": Counter({"Ada Brix": 9, "Tom Hale": 1}),
    "LOC": Counter({"Tarnby": 4, "Ravoire": 4}),
}


def bases(moved: float = 0.8) -> Bases:
    texts = ["Ida Falk met Otto in Lund.", "In Lund Ida Falk slept."]
    mentions = [
        [(0, 8, "PERSON", 0), (13, 17, "PERSON", 0), (21, 25, "LOC", 0)],
        [(3, 7, "LOC", 0), (8, 16, "PERSON", 0)],
    ]
    vectors = np.random.default_rng(0).standard_normal((2, 64)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return Bases(["Lund", ""], texts, mentions, vectors, FAMILIAR, moved)


def test_names_are_exchanged_alike_and_found_where_they_stand() -> None:
    known: dict[str, str] = {}
    one, two = (
        exchange(text, mentions, Names(FAMILIAR), known, Random(3))
        for text, mentions in zip(bases().texts, bases().mentions, strict=True)
    )

    assert known.keys() == {"Ida Falk", "Otto", "Lund"}
    assert [one[0][a:b] for a, b, _, _ in one[1]] == [
        known[n] for n in ("Ida Falk", "Otto", "Lund")
    ]
    assert [two[0][a:b] for a, b, _, _ in two[1]] == [known["Lund"], known["Ida Falk"]]
    assert " met " in one[0] and one[0].endswith(".")


def test_half_of_the_names_are_familiar_and_common_ones_come_more_often() -> None:
    names, random = Names(FAMILIAR), Random(0)
    drawn = Counter(names.new("PERSON", random) for _ in range(2000))

    assert drawn["Ada Brix"] > 1.5 * drawn["Tom Hale"] > 0
    assert {"Ada Hale", "Tom Brix"} <= drawn.keys()


def test_a_document_depends_on_its_number_only() -> None:
    first, again = Maker(bases()), Maker(bases())
    again.document(1)

    for number in (5, 1005):
        one, two = first.document(number), again.document(number)
        assert (one.id, one.title, one.text, one.spans) == (two.id, two.title, two.text, two.spans)
        assert (one.vectors == two.vectors).all()
        assert len(one.vectors) == len(one.spans)
        for start, end, _, _ in one.mentions:
            assert any(a <= start < end <= b for a, b in one.spans)
    assert first.document(5).text != first.document(6).text


def test_vectors_are_unit_and_as_far_from_their_base_as_was_measured() -> None:
    known = bases(0.7)
    maker = Maker(known)
    cosines = []
    for number in range(200):
        made = maker.vectors(number).astype(np.float32)
        np.testing.assert_allclose(np.linalg.norm(made, axis=1), 1, atol=2e-3)
        cosines += (made @ known.vectors.T).max(axis=1).tolist()
    # Where both drawn bases are the same, nothing moves: half of the time with two bases.
    moved = [c for c in cosines if c < 0.999]
    assert abs(np.mean(moved) - 0.7) < 0.1
