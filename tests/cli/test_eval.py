"""ragcli eval as a user and a CI server meet it."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from conftest import SAMPLE, Run

QUESTIONS = SAMPLE / "questions.jsonl"
# Questions that both modes answer: where neither does, there is nothing to judge.
SMALL = ("--sample", 5, "--seed", 1, "--modes", "naive,bm25", "--k", "2,5")
Shown = tuple[subprocess.CompletedProcess[str], Path]


def test_a_table_on_stdout_with_the_baselines(called: Run, sample_store: Path) -> None:
    """Without options the baselines stand beside the usual mode; nothing else is on stdout."""
    done = called("eval", QUESTIONS, "--store", sample_store, "--sample", 3)
    assert done.returncode == 0, done.stderr
    title, heads, first, *_ = done.stdout.splitlines()
    assert title.startswith("sample_corpus: 3 questions")
    assert heads.split() == ["metric", "naive", "bm25", "dense+bm25", "auto"]
    assert first.startswith("recall@2 ") and first.count("[") == 4


@pytest.fixture(scope="module")
def shown(ragcli: Run, sample_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Shown:
    """What a run with answers prints, and the folder of its files."""
    out = tmp_path_factory.mktemp("eval") / "out"
    words = ("eval", QUESTIONS, "--store", sample_store, *SMALL, "--answers", "--out", out)
    return ragcli(*words, "--json", "--quiet"), out


def test_all_files_are_written(shown: Shown) -> None:
    """JSON, HTML, JUnit and TREC files, each readable by its kind of reader."""
    done, out = shown
    assert done.returncode == 0, done.stderr
    report = json.loads((out / "report.json").read_bytes())
    assert report["passed"] and report["modes"] == ["naive", "bm25"]
    assert {"recall@5", "mrr", "f1", "total_ms"} <= report["summaries"][0]["stats"].keys()
    suites = ElementTree.parse(out / "junit.xml").getroot()
    assert suites.get("tests") == "10" and len(suites) == 2
    assert (out / "report.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    run = [line.split() for line in (out / "run-naive.trec").read_text().splitlines()]
    assert all(len(row) == 6 and row[1] == "Q0" and row[5] == "naive" for row in run)
    qrels = {line.split()[0] for line in (out / "qrels.trec").read_text().splitlines()}
    assert {row[0] for row in run} == qrels and len(qrels) == 5
    assert len((out / "pairs.jsonl").read_text().splitlines()) == 10


def test_json_is_the_report(shown: Shown) -> None:
    """One object on stdout, the same that report.json holds; --quiet: nothing on stderr."""
    done, out = shown
    assert done.stdout.count("\n") == 1 and done.stderr == ""
    assert json.loads(done.stdout) == json.loads((out / "report.json").read_bytes())


def test_thresholds_decide_the_exit_code(called: Run, sample_store: Path, tmp_path: Path) -> None:
    """0 when all are met, 1 when one is missed, which JUnit tells too."""
    base = ("eval", QUESTIONS, "--store", sample_store, *SMALL, "--out", tmp_path)
    met = called(*base, "--fail-under", "recall@5=0", "--fail-under", "total_ms.p95=100000")
    assert met.returncode == 0 and met.stdout.count("met: ") == 4
    missed = called(*base, "--fail-under", "recall@5=0", "--fail-under", "naive:recall@2=1.1")
    assert missed.returncode == 1 and "MISSED: naive: naive:recall@2=1.1" in missed.stdout
    assert not json.loads((tmp_path / "report.json").read_bytes())["passed"]
    checks = ElementTree.parse(tmp_path / "junit.xml").getroot()[-1]
    assert checks.get("name") == "thresholds" and checks.get("failures") == "1"


def test_killed_and_run_again(called: Run, own_store: Path, tmp_path: Path) -> None:
    """kill -9 in the middle: the answers there are kept, and the next run asks the rest."""
    args = ("eval", QUESTIONS, "--store", own_store, *SMALL, "--sample", 6)
    kept = tmp_path / "checkpoint.jsonl"
    process = subprocess.Popen(
        [sys.executable, "-m", "ragcli", *map(str, args), "--answers", "--out", str(tmp_path)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 120
    try:
        while not (kept.is_file() and kept.read_bytes().count(b"\n") >= 3):
            assert time.monotonic() < deadline and process.poll() is None
            time.sleep(0.01)
    finally:
        process.kill()
        process.wait(60)
    had = kept.read_bytes().count(b"\n")
    second = called(*args, "--answers", "--out", tmp_path)
    assert (
        second.returncode == 0 and f"{had} of 12 answers come from an earlier run" in second.stderr
    )
    assert json.loads((tmp_path / "report.json").read_bytes())["summaries"][0]["stats"]["f1"]


def test_judged_elsewhere(called: Run, sample_store: Path, tmp_path: Path) -> None:
    """pairs.jsonl goes out blind, verdicts come back as a file."""
    base = ("eval", QUESTIONS, "--store", sample_store, *SMALL, "--out", tmp_path)
    assert called(*base, "--answers").returncode == 0
    pairs = [json.loads(line) for line in (tmp_path / "pairs.jsonl").read_text().splitlines()]
    said = tmp_path / "verdicts.jsonl"
    said.write_text("".join(json.dumps({"id": p["id"], "Overall": "1"}) + "\n" for p in pairs))
    done = called(*base, "--judge", said)
    assert done.returncode == 0, done.stderr
    # A judge that always names the first answer flips in every pair.
    assert "100% of 5 verdicts change with the order" in done.stderr
    (overall,) = [line for line in done.stdout.splitlines() if "Overall" in line]
    assert overall.split() == "bm25 : naive Overall 0 0 5 5 (100%) 0 50%".split()
    assert sum("–" in line for line in done.stdout.splitlines() if "bm25 : naive" in line) == 3


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("nowhere.jsonl",), "no such file"),
        ((QUESTIONS, "--modes", "best"), "unknown retrieval mode"),
        ((QUESTIONS, "--modes", ""), "nothing to evaluate"),
        ((QUESTIONS, "--k", "5,2"), "ascending"),
        ((QUESTIONS, "--k", "five"), "cannot be read"),
        ((QUESTIONS, "--fail-under", "recall@5"), "[MODE:]METRIC"),
        ((QUESTIONS, "--fail-under", "recall@7=1"), "no metric"),
        ((QUESTIONS, "--judge", "none"), "no language model"),
    ],
)
def test_trouble_is_exit_code_2(
    called: Run, sample_store: Path, args: tuple[object, ...], said: str
) -> None:
    """The message tells what was expected; stdout stays empty."""
    done = called("eval", *args, "--store", sample_store, "--sample", 1)
    assert done.returncode == 2 and said in done.stderr and done.stdout == ""
