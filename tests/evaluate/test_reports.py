"""Renderers: data that reads back, XML that parses, a page that loads nothing."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import orjson
import pytest

from ragcli.errors import InputError
from ragcli.evaluate import plots, report_folder
from ragcli.evaluate.cases import Case, GoldEvidence
from ragcli.evaluate.html_report import to_html
from ragcli.evaluate.junit import to_junit
from ragcli.evaluate.measure import measure
from ragcli.evaluate.report import best, coverage_rows, headline, number, table_rows, to_json
from ragcli.evaluate.results import Coverage, CoveragePoint, EvalSettings, Evaluation
from ragcli.evaluate.thresholds import parse_threshold
from ragcli.evaluate.trec import relevance_file, run_file
from ragcli.evaluate.verdicts import Judged, VerdictCounts, summarise_marks
from ragcli.types import silent

from .makers import Table, case

# Text that breaks what does not escape: markup, quotes, a control character, a script's end, and
# the delimiters of the template language.
NASTY = "<b>\"Who\" & 'why'?</b><script>x()</script>\x00\x0b ]]> {{ 7*7 }}{% x %}{# y #} ü"
CASES = (
    Case("1", NASTY, ("a",), (GoldEvidence("a b.txt", quote="<i>"), GoldEvidence("c")), type="<x>"),
    case("2", "c", type="y"),
    case("3"),
)
MODES = ("naive", "dense+bm25", "walk", "lean", "e2")


def evaluation(modes: Sequence[str] = MODES, *, answers: bool = True) -> Evaluation:
    """Evaluate three cases, one of them nasty."""
    found = {(c.question, m): ["a b.txt", m, "c"] for c in CASES for m in modes}
    thresholds = tuple(map(parse_threshold, ("recall@1=0.9", "total_ms.p95=100", "em=0")))
    settings = EvalSettings(
        name=NASTY, ks=(1, 3), answers=answers, thresholds=thresholds, resamples=50, facts={"<": 1}
    )
    return measure(CASES, modes, Table(found), settings, silent, None)


def judged() -> Judged:
    """Make what a judge might have found."""
    tallies = (
        VerdictCounts("Overall", "naive", "<walk>", 1, 3, 2, 1, 1),
        VerdictCounts("Diversity", "a", "b", 0, 0, 0, 9, 0),
    )
    marks = {"<walk>": summarise_marks([{"Overall": 7, "Diversity": None}])}
    return Judged(tallies, marks)


def test_json_reads_back() -> None:
    """Settings, figures, thresholds, cases and outcomes are all there; twice the same bytes."""
    found = evaluation()
    record = orjson.loads(to_json(found, judged()))
    assert record["format"] == 1 and record["passed"] is False
    assert record["summaries"][1]["stats"]["recall@3"]["mean"] == 1.0
    assert record["thresholds"][0]["threshold"] == "recall@1=0.9"
    assert len(record["outcomes"]) == 15 and record["cases"][0]["question"] == NASTY
    assert record["judge"]["tallies"][0]["flips"] == 1
    assert to_json(found) == to_json(evaluation())


def test_table_has_a_row_a_metric_and_a_column_a_mode() -> None:
    """All cells are text and all rows as long as the headings."""
    rows = table_rows(evaluation())
    assert rows[0] == ["metric", *MODES]
    assert {len(row) for row in rows} == {6}
    cells = {row[0]: row[1:] for row in rows}
    assert cells["recall@3"][0] == "1.000 [1.000, 1.000]"
    assert cells["recall@3"][1] == "1.000 [1.000, 1.000] +0.000"
    assert cells["total_ms"][0] == "15 / 15"


def test_numbers_have_the_digits_they_deserve() -> None:
    """Shares to a thousandth, times and tokens whole above ten."""
    assert number(0.12345, "f1") == "0.123"
    assert number(12345.6, "context_tokens") == "12,346"
    assert number(1.25, "total_ms") == "1.2"


def test_junit_is_xml_and_counts_right() -> None:
    """A suite a mode and one of thresholds; evidence beyond k fails, no evidence is skipped."""
    root = ElementTree.fromstring(to_junit(evaluation()))
    suites = {suite.get("name"): suite for suite in root}
    assert list(suites) == [*MODES, "thresholds"]
    assert {s.get("failures") for n, s in suites.items() if n != "thresholds"} == {"0"}
    assert suites["walk"].get("tests") == "3" and suites["walk"].get("skipped") == "1"
    assert suites["thresholds"].get("failures") == "5"
    assert root.get("tests") == "30" and root.get("failures") == "5"


def test_junit_tells_what_was_missed() -> None:
    """With k = 1 the second piece of evidence is beyond it; the text names its rank."""
    root = ElementTree.fromstring(to_junit(evaluation(("naive",)), k=1))
    failures = root.findall("testsuite[@name='naive']/testcase/failure")
    assert [f.get("message") for f in failures] == [
        "1 of 2 pieces of evidence not in the first 1",
        "1 of 1 pieces of evidence not in the first 1",
    ]
    assert failures[0].text == "rank 1: a b.txt\nrank 3: c"


def test_trec_files_agree_with_our_figures() -> None:
    """ir_measures on our run and relevance files finds our recall; names have no spaces."""
    ir = pytest.importorskip("ir_measures")
    found = evaluation(("naive",))
    run_text, relevance = run_file(found, "naive"), relevance_file(CASES)
    assert run_text.splitlines()[0] == "1 Q0 a%20b.txt 1 1.000000 naive"
    expected = ir.calc_aggregate(
        [ir.R @ 1, ir.nDCG @ 3, ir.RR],
        list(ir.read_trec_qrels(relevance)),
        list(ir.read_trec_run(run_text)),
    )
    stats = found.summaries[0].stats
    assert expected[ir.R @ 1] == pytest.approx(stats["recall@1"].mean)
    assert expected[ir.nDCG @ 3] == pytest.approx(stats["ndcg@3"].mean)
    assert expected[ir.RR] == pytest.approx(stats["mrr"].mean)


def page(found: Evaluation) -> ElementTree.Element:
    """Parse a page as XML, which an unclosed or unescaped piece would break."""
    text = to_html(found, judged())
    kind, _, rest = text.partition("\n")
    assert kind == "<!DOCTYPE html>"
    return ElementTree.fromstring(rest.replace("\x00", "").replace("\x0b", ""))


@pytest.mark.parametrize("modes", [MODES[:1], MODES])
@pytest.mark.parametrize("answers", [True, False])
def test_page_is_well_formed(modes: Sequence[str], answers: bool) -> None:
    """With one mode and five, with answers and without; every question has a row."""
    root = page(evaluation(modes, answers=answers))
    rows = root.findall(".//table[@id='cases']/tbody/tr")
    assert len(rows) == 3 and {len(row) for row in rows} == {len(modes) + 1}
    assert rows[0].get("data-states") == " ".join(["good"] * len(modes))
    assert rows[2].get("data-states") == " ".join(["none"] * len(modes))
    assert len(root.findall(".//figure")) == 3


def test_page_loads_nothing() -> None:
    """No address, no source, no import: one file, and the browser is told so too."""
    text = to_html(evaluation())
    assert not re.search(r"https?://|\bsrc=|\bhref=|url\(|@import", text)
    assert "default-src 'none'" in text


def test_hostile_texts_come_out_as_text() -> None:
    """Question, answer, names and mode appear letter by letter and add no element."""
    root = page(evaluation())
    shown = NASTY.replace("\x00", "").replace("\x0b", "")
    assert root.findtext(".//h1") == f"Evaluation: {shown}"
    row = "table[@id='cases']/tbody/tr"
    assert root.findtext(f".//{row}/td/details/summary") == shown
    assert root.findall(f".//{row}")[0].get("data-kind") == "<x>"
    assert len(list(root.iter("script"))) == 1 and len(list(root.iter("style"))) == 1
    said = replace(evaluation().outcomes[0], text=NASTY)
    text = to_html(replace(evaluation(), outcomes=(said, *evaluation().outcomes[1:])))
    assert "&lt;script&gt;x()&lt;/script&gt;" in text and "<script>x()" not in text


def test_the_policy_names_the_hash_of_style_and_script() -> None:
    """The browser runs exactly what the page holds, so an injected element does nothing."""
    root = page(evaluation())
    (meta,) = root.findall(".//meta[@http-equiv='Content-Security-Policy']")
    policy = meta.get("content", "")
    for kind in ("style", "script"):
        digest = sha256(root.findtext(f".//{kind}", "").encode()).digest()
        assert f"{kind}-src 'sha256-{b64encode(digest).decode()}'" in policy
    assert "unsafe" not in policy


def test_page_is_accessible() -> None:
    """Plots have names, controls have labels, ids are unique, tables have heading cells."""
    root = page(evaluation())
    for plot in root.findall(".//svg[@class='plot']"):
        assert plot.get("role") == "img" and plot.get("aria-label")
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    labelled = {label.get("for") for label in root.iter("label")}
    controls = {c.get("id") for tag in ("input", "select") for c in root.iter(tag)}
    assert controls and controls == labelled
    assert all(table.find("thead/tr/th") is not None for table in root.iter("table"))


def test_page_without_evidence_shows_costs_only() -> None:
    """A bare set of questions has no headline, and the page says why there is no plot."""
    found = measure(
        (case("3"),), ("naive",), Table({("Question 3?", "naive"): []}),
        EvalSettings(resamples=10), silent, None,
    )  # fmt: skip
    assert headline(found) is None
    assert "only costs were measured" in to_html(found)


def test_axes_end_on_round_numbers() -> None:
    """Steps are 1, 2 or 5 times a power of ten, and the highest value fits."""
    for high in (0.3, 1, 7, 49, 1185, 99999):
        axis = plots._axis(0, high, 0, 100)
        assert axis.ticks[-1] >= high > axis.ticks[-2]
        assert 3 <= len(axis.ticks) <= 7


def test_plots_of_one_k_and_no_time() -> None:
    """A single k and a latency of zero are no divisions by zero."""
    one = [plots.Mark(5, 0.5, "x")]
    assert plots.lines("t", "k", "recall", [one]).shapes
    assert plots.scatter("t", "ms", "recall", [plots.Mark(0, 0.5, "x")], 1.0).shapes


def test_best_is_nobody_when_all_are_equal() -> None:
    """Only a difference makes a best mode; costs are best when low."""
    found = evaluation(("naive", "walk"))
    assert best(found, "recall@3", lower=False) == []
    assert best(evaluation(("naive",)), "mrr", lower=False) == []
    higher = replace(found.summaries[1].stats["total_ms"], p50=99.0)
    slow = replace(found.summaries[1], stats={"total_ms": higher})
    changed = replace(found, summaries=(found.summaries[0], slow))
    assert best(changed, "total_ms", lower=True) == ["naive"]
    assert best(changed, "total_ms", lower=False) == ["walk"]


def test_reports_replace_only_reports(tmp_path: Path) -> None:
    """A folder with a report of an earlier run, or without files of these names, may be used."""
    report_folder.refuse_to_lose_others(tmp_path / "none")
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "junit.xml").write_text("")
    report_folder.refuse_to_lose_others(tmp_path)
    (tmp_path / "junit.xml").write_text("<testsuites/>")
    with pytest.raises(InputError, match=r"junit\.xml exists") as caught:
        report_folder.refuse_to_lose_others(tmp_path)
    assert "--force" in caught.value.hint
    (tmp_path / "report.json").write_text('{"format": "mine"}')
    with pytest.raises(InputError, match=r"report\.json exists"):
        report_folder.refuse_to_lose_others(tmp_path)
    (tmp_path / "report.json").write_bytes(to_json(evaluation()))
    report_folder.refuse_to_lose_others(tmp_path)


def test_coverage_is_in_the_report_the_page_and_the_table() -> None:
    """A mode without short answers has no column, and the page stays well-formed."""
    made = evaluation(("naive", "walk"))
    points = tuple(CoveragePoint(n / 10, 1 - n / 20, 0.95 - n / 20) for n in range(1, 11))
    first, second = made.summaries
    made = replace(made, summaries=(replace(first, coverage=Coverage(points, 0.725, 40)), second))
    rows = coverage_rows(made)
    assert rows[0] == ["surest", "naive"] and rows[1] == ["10%", "0.950 (0.90)"]
    assert rows[-1] == ["area", "0.725"]
    titles = [heading.text for heading in page(made).findall(".//figure/h3")]
    assert "Accuracy by coverage" in titles and "naive: area 0.725" in to_html(made)
    record = orjson.loads(to_json(made))
    assert record["summaries"][0]["coverage"]["area"] == 0.725
    assert record["summaries"][1]["coverage"] is None
    assert coverage_rows(evaluation()) == []
