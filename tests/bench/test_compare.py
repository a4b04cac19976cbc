"""``bench/compare.py`` tells what became slower, and only that."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest
from conftest import ROOT

# At the end: bench has a file of the name of a library, llm.
sys.path.append(str(ROOT / "bench"))

import compare
import guard
from measure import Run


def samples(seed: int, factor: float, noise: float = 0.03) -> list[float]:
    random = Random(seed)
    return [0.5 * factor * (1 + random.uniform(-noise, noise)) for _ in range(9)]


def told(tmp_path: Path, name: str, cpu: list[float], pair: str = "", **more: Any) -> Path:
    path = tmp_path / name
    of = {"cpu": cpu, "peak": [2.0**27] * 9, "written": [0.0] * 9, "wall": cpu} | more
    machine = {"format": 1, "pair": pair or name, "machine": "x", "python": "3"}
    path.write_text(json.dumps(machine | {"samples": {"ask": of}}))
    return path


@pytest.mark.parametrize(("factor", "code"), [(1.0, 0), (1.01, 0), (1.2, 1), (0.7, 0)])
def test_what_is_slower_beyond_noise_ends_with_code_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], factor: float, code: int
) -> None:
    old = told(tmp_path, "old.json", samples(1, 1.0))
    new = told(tmp_path, "new.json", samples(2, factor))

    assert compare.main([str(old), str(new)]) == code

    out = capsys.readouterr().out
    assert ("SLOWER" in out) is (factor > 1.1)
    assert ("better" in out) is (factor < 0.9)


def test_noise_alone_is_seldom_called_slower() -> None:
    slower = 0
    for seed in range(30):
        old, new = samples(seed, 1.0, 0.2), samples(seed + 1000, 1.0, 0.2)
        _, low, high = compare.interval(old, new, paired=False)
        slower += low > 1 + compare.MARGIN
        assert low <= high
    assert slower <= 1


def test_turns_make_visible_what_a_busy_machine_hides() -> None:
    random = Random(3)
    busy = [random.uniform(1, 2) for _ in range(9)]
    old = [0.5 * x for x in busy]
    new = [0.55 * x for x in busy]

    assert compare.interval(old, new, paired=False)[1] < 1 + compare.MARGIN
    assert compare.interval(old, new, paired=True)[1] == pytest.approx(1.1)


def test_more_memory_counts_and_seconds_on_the_wall_do_not(tmp_path: Path) -> None:
    same = samples(1, 1.0)
    old = told(tmp_path, "old.json", same)
    heavier = told(tmp_path, "new.json", same, peak=[2.0**28] * 9)
    later = told(tmp_path, "later.json", same, wall=[9.0] * 9)

    assert compare.main([str(old), str(heavier)]) == 1
    assert compare.main([str(old), str(later)]) == 0


def test_files_that_cannot_be_compared_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = told(tmp_path, "good.json", samples(1, 1.0))
    few = told(tmp_path, "few.json", [0.5, 0.6])
    other = tmp_path / "other.json"
    other.write_text('{"format": 7}')

    for pair in ((good, few), (good, other), (good, tmp_path / "absent.json")):
        assert compare.main([str(x) for x in pair]) == 2
        assert capsys.readouterr().out.startswith("compare:")


def test_two_versions_take_turns_and_the_first_run_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []

    def fake(tree: guard.Tree) -> Run:
        order.append(tree.work.name)
        return Run(1.0, float(len(order)), 0, 0, "")

    monkeypatch.setattr(guard, "COMMANDS", {"help": fake})
    new, old = guard.Tree(ROOT, tmp_path / "new"), guard.Tree(ROOT, tmp_path / "old")
    guard.measure([new, old], ["help"], 2)

    assert order == ["old", "new", "new", "old", "old", "new"]
    assert new.samples["help"]["cpu"] == [3.0, 6.0]
    assert old.samples["help"]["cpu"] == [4.0, 5.0]


def test_a_command_of_a_version_runs_that_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[list[str], dict[str, str]]] = []

    def fake(args: list[object], env: dict[str, str], fine: object) -> Run:
        seen.append(([str(x) for x in args], env))
        return Run(1.0, 1.0, 0, 0, "")

    monkeypatch.setattr(guard, "run", fake)
    old = guard.Tree(tmp_path / "tree", tmp_path / "work")
    for command in ("ask", "search"):
        guard.COMMANDS[command](old)

    for args, env in seen:
        assert args[1:3] == ["-m", "ragcli"]
        assert env["PYTHONPATH"] == str(tmp_path / "tree")
        assert str(tmp_path / "work" / ".ragcli") in args
