"""JUnit XML, a report format that every CI server supports."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

from ragcli.evaluate.results import CaseOutcome, Evaluation
from ragcli.text.xml_characters import xml_writable


def to_junit(evaluation: Evaluation, k: int | None = None) -> bytes:
    """Return one suite for each mode, a case for each question, and a suite of thresholds.

    A question fails when some of its evidence is not within the first ``k`` (default: the largest
    k), and is skipped when its set names no evidence. Times are seconds.
    """
    within = k or evaluation.settings.ks[-1]
    root = ElementTree.Element("testsuites", name=_clean(evaluation.settings.name))
    outcomes = {(outcome.case, outcome.mode): outcome for outcome in evaluation.outcomes}
    for mode in evaluation.modes:
        suite = ElementTree.SubElement(root, "testsuite", name=_clean(mode))
        for case in evaluation.cases:
            _question(suite, case.question, outcomes[case.id, mode], within)
        _count(suite)
    if evaluation.thresholds:
        _thresholds(root, evaluation)
    _count(root)
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'.encode()


def _question(suite: ElementTree.Element, question: str, outcome: CaseOutcome, k: int) -> None:
    test = ElementTree.SubElement(
        suite,
        "testcase",
        classname=_clean(outcome.mode),
        name=_clean(f"{outcome.case}: {question}"),
        time=f"{outcome.scores.get('total_ms', 0.0) / 1000:.3f}",
    )
    if not outcome.wanted:
        ElementTree.SubElement(test, "skipped", message="the question set names no evidence")
        return
    ranked = list(zip(outcome.wanted, outcome.ranks, strict=True))
    missing = [name for name, rank in ranked if rank is None or rank > k]
    if missing:
        message = f"{len(missing)} of {len(ranked)} pieces of evidence not in the first {k}"
        failure = ElementTree.SubElement(test, "failure", message=message, type="evidence")
        failure.text = "\n".join(
            _clean(f"{'rank ' + str(rank) if rank else 'not found'}: {name}")
            for name, rank in ranked
        )


def _thresholds(root: ElementTree.Element, evaluation: Evaluation) -> None:
    suite = ElementTree.SubElement(root, "testsuite", name="thresholds")
    for result in evaluation.thresholds:
        name = f"{result.mode}: {result.threshold.text}"
        test = ElementTree.SubElement(
            suite, "testcase", classname="thresholds", name=_clean(name), time="0.000"
        )
        if not result.passed:
            found = "not measured" if result.value is None else f"found {result.value:.4f}"
            ElementTree.SubElement(test, "failure", message=found, type="threshold")
    _count(suite)


def _count(element: ElementTree.Element) -> None:
    """Write the totals of a suite."""
    tests = list(element.iter("testcase"))
    element.set("tests", str(len(tests)))
    element.set("failures", str(sum(test.find("failure") is not None for test in tests)))
    element.set("errors", "0")
    element.set("skipped", str(sum(test.find("skipped") is not None for test in tests)))
    element.set("time", f"{sum(float(test.get('time', '0')) for test in tests):.3f}")


def _clean(text: str) -> str:
    return xml_writable(text, "\N{REPLACEMENT CHARACTER}")
