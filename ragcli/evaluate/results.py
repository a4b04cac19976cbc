"""The records of an evaluation's output: outcomes of single questions, and their summaries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ragcli.evaluate.cases import Case


@dataclass(frozen=True, slots=True)
class Threshold:
    """``metric`` must reach ``value`` in ``mode`` ("": in every mode).

    ``stat`` is what is compared: mean, p50 or p95.
    """

    metric: str
    value: float
    mode: str = ""
    stat: str = "mean"

    @property
    def text(self) -> str:
        """The threshold as it is written on the command line."""
        mode = f"{self.mode}:" if self.mode else ""
        stat = "" if self.stat == "mean" else f".{self.stat}"
        return f"{mode}{self.metric}{stat}={self.value:g}"


@dataclass(frozen=True, slots=True)
class ThresholdResult:
    """``value`` is None if the metric could not be measured, which counts as missed."""

    threshold: Threshold
    mode: str
    value: float | None
    passed: bool


@dataclass(frozen=True, slots=True)
class EvalSettings:
    """How to evaluate. ``name`` names the set of questions.

    ``ks``: cut-offs, ascending; ``top_k``: hits requested at first (0: the largest k). Documents
    are ranked by their best hit, so ``top_k`` hits may contain fewer documents than the largest k;
    then more hits are requested.
    ``generation`` and ``digest`` (of the settings that affect answers) determine which answers of a
    checkpoint are still valid. Reports show ``facts`` unchanged (index seconds, LLM calls).
    """

    name: str = "questions"
    ks: tuple[int, ...] = (2, 5, 8, 10)
    top_k: int = 0
    answers: bool = False
    generation: int = 0
    digest: str = ""
    thresholds: tuple[Threshold, ...] = ()
    resamples: int = 10_000
    seed: int = 0
    facts: Mapping[str, str | int | float] = field(default_factory=dict)

    @property
    def depth(self) -> int:
        """The number of hits requested at first."""
        return self.top_k or max(self.ks)


@dataclass(frozen=True, slots=True)
class CaseOutcome:
    """The outcome of one case in one mode.

    ``scores`` are named as in ``score.score``. ``ranks`` has one entry for each relevant item
    (``wanted``: documents, or quotes if no document is named). ``documents`` are ranked names for
    run files. ``text`` is the reply with its citation marks, ``short`` the short answer ("" if
    there is none) and ``confidence`` how sure it is.
    """

    case: str
    mode: str
    scores: Mapping[str, float]
    wanted: tuple[str, ...]
    ranks: tuple[int | None, ...]
    documents: tuple[str, ...]
    text: str
    by: str
    abstained: bool
    short: str = ""
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Stat:
    """A metric over ``n`` cases: mean with its bootstrap 95 % interval, median, 95th percentile."""

    mean: float
    low: float
    high: float
    p50: float
    p95: float
    n: int


@dataclass(frozen=True, slots=True)
class Difference:
    """Mean of the paired differences to the first mode, with its bootstrap 95 % interval."""

    mean: float
    low: float
    high: float

    @property
    def clear(self) -> bool:
        """Whether the interval excludes zero."""
        return self.low > 0 or self.high < 0


@dataclass(frozen=True, slots=True)
class CoveragePoint:
    """The surest ``coverage`` of the cases: how many are right; their least ``confidence``."""

    coverage: float
    accuracy: float
    confidence: float


@dataclass(frozen=True, slots=True)
class Coverage:
    """Accuracy by coverage (see ``coverage``), and the ``area`` under it, over ``n`` cases."""

    points: tuple[CoveragePoint, ...]
    area: float
    n: int


@dataclass(frozen=True, slots=True)
class ModeSummary:
    """One mode's figures; ``differences`` is empty for the first mode.

    ``by_type[type][metric]`` is a mean over the cases of that type. ``coverage`` is None if there
    are no short answers.
    """

    mode: str
    stats: Mapping[str, Stat]
    differences: Mapping[str, Difference]
    by_type: Mapping[str, Mapping[str, float]]
    coverage: Coverage | None = None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The whole result; ``outcomes`` are in the order of cases, then of modes."""

    settings: EvalSettings
    modes: tuple[str, ...]
    cases: tuple[Case, ...]
    outcomes: tuple[CaseOutcome, ...]
    summaries: tuple[ModeSummary, ...]
    thresholds: tuple[ThresholdResult, ...]

    @property
    def passed(self) -> bool:
        """Whether no threshold was missed."""
        return all(result.passed for result in self.thresholds)
