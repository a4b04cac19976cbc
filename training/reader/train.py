"""The training loop: one pass over a seeded plan, with checkpoints to go on from."""

from __future__ import annotations

import ctypes
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import save_file

from ragcli.models.reader.model import SAMPLE, SAMPLE_ROWS
from ragcli.models.weights import open_tensors
from training.reader.checkpoints import Run, ended, identity
from training.reader.data import (
    ASKED,
    LATER_SHARES,
    OWN_SHARES,
    REAL_NONE,
    SHARES,
    Example,
    Pool,
    load,
)
from training.reader.later import LaterMaker
from training.reader.losses import Batch, loss
from training.reader.model import DIM, INNER, LAYERS, Reader
from training.reader.windows import Group, Maker

SEED = 20


@dataclass(frozen=True, slots=True)
class Settings:
    """What a run is: ``minutes`` ends one early, its learning rate falling in time.

    Of the groups a share ``claims`` are claims, after the first ``later`` of the plan a share
    ``later_claims``: judging claims is learned later than finding spans.

    ``examples`` plans that many, questions and claims together, in place of as many as ``tokens``
    are enough for. ``shared``, ``crop`` and ``fresh`` are for ablations (``curve.py``): spans
    normalised over all windows of a question or in each; tokens of every crop in place of drawn
    ones; upper layers that start at random.
    """

    tokens: int = 20_000_000
    examples: int = 0
    batch: int = 6144
    rate: float = 2e-4
    head_rate: float = 6e-4
    layer_decay: float = 0.9
    weight_decay: float = 0.01
    warmup: float = 0.06
    average: float = 0.996
    claims: float = 0.14
    later_claims: float = 0.32
    later: float = 0.25
    dropout: float = 0.1
    minutes: float = 0.0
    save_minutes: float = 6.0
    seed: int = SEED
    pairs: float = 0.0
    contrast: float = 0.0
    asked: float = 0.0
    asked_alone: float = 0.0
    own: bool = False
    shared: bool = True
    crop: int = 0
    fresh: int = 0


LATER = Settings(
    tokens=12_000_000,
    rate=1e-4,
    head_rate=3e-4,
    warmup=0.04,
    average=0.995,
    claims=0.36,
    later_claims=0.36,
    seed=21,
    pairs=0.5,
    contrast=0.45,
    asked=0.6,
    asked_alone=0.12,
)
"""The second stage: a share ``contrast`` of the questions make such groups, and ``asked`` of those
over several passages or ``asked_alone`` of the others windows as ``ask`` reads them."""

OWN = replace(
    LATER,
    tokens=20_000_000,
    claims=0.2,
    later_claims=0.2,
    seed=22,
    asked=0.4,
    own=True,
)
"""The third stage: questions over real folders beside the others."""

SEVERAL = frozenset(("hotpotqa_samples", "derived_multi", "bioasq", "timeqa", ASKED))
"""Sources of questions over several passages: more than half of them as ``ask`` reads them."""

FIRST_TOLD = 3
"""The step, counted from where a process begins, after which it first says how long it takes."""

Planned = tuple[int, str]
"""An example's number, and what is made of it: question, claims, contrast or asked."""


def plan(examples: list[Example], scale: float, settings: Settings) -> list[Planned]:
    """The order of a run: each example its share times ``scale`` as often, shuffled, and claims
    about the same passages in between."""
    rng = np.random.default_rng(settings.seed)
    rows: dict[str, list[int]] = {}
    for at, example in enumerate(examples):
        rows.setdefault(example.source, []).append(at)
    order: list[Planned] = []
    for source, found in rows.items():
        for numbers, share in _shares(source, found, examples, settings):
            count = round(len(numbers) * share * scale)
            while count > 0:
                taken = rng.permutation(len(numbers))[:count].tolist()
                order += [(numbers[i], _kind(examples[numbers[i]], settings, rng)) for i in taken]
                count -= len(numbers)
    fit = [
        at for at, _ in order if examples[at].kind != "yesno" and examples[at].source != "molweni"
    ]

    def with_claims(part: list[Planned], share: float) -> list[Planned]:
        extra = rng.choice(fit, round(len(part) * share / (1 - share)))
        part = part + [(at, "claims") for at in extra.tolist()]
        return [part[i] for i in rng.permutation(len(part)).tolist()]

    order = with_claims(order, settings.claims)
    first = round(settings.later * len(order))
    more = (settings.later_claims - settings.claims) / (1 - settings.claims)
    return order[:first] + with_claims(order[first:], more)


def _shares(
    source: str, numbers: list[int], examples: list[Example], settings: Settings
) -> list[tuple[list[int], float]]:
    """The examples of a source in parts that are taken equally often, and how often."""
    if not settings.contrast:
        return [(numbers, SHARES[source])]
    none = [at for at in numbers if examples[at].kind == "none"]
    rest = [at for at in numbers if examples[at].kind != "none"]
    share = (OWN_SHARES if settings.own else LATER_SHARES)[source]
    return [(rest, share), (none, share * REAL_NONE.get(source, 1.0))]


def _kind(example: Example, settings: Settings, rng: np.random.Generator) -> str:
    """What is made of a question: in the first stage always the same."""
    if not settings.contrast:
        return "question"
    drawn = rng.random()
    asked = settings.asked if example.source in SEVERAL else settings.asked_alone
    if drawn < asked:
        return "asked"
    return "contrast" if drawn < asked + settings.contrast else "question"


def batches(
    examples: list[Example], order: list[Planned], maker: Maker, settings: Settings, start: int
) -> Iterator[tuple[int, list[Group]]]:
    """Groups from number ``start`` on, ``settings.batch`` tokens together, with the next number.

    Every planned example has a random generator of its own, so a run goes on where it stopped.
    """
    found: list[Group] = []
    tokens = 0
    for at in range(start, len(order)):
        number, kind = order[at]
        rng = np.random.default_rng([settings.seed, at])
        for group in maker.groups(examples[number], kind, rng):
            if group.windows:
                found.append(replace(group, example=at))
                tokens += group.tokens
        if tokens >= settings.batch:
            yield at + 1, found
            found, tokens = [], 0
    if found:
        yield len(order), found


def train(
    data: Path, embedder: Path, build: Path, settings: Settings, start: Path | None = None
) -> Path:
    """Train, or go on training, and return the file of averaged weights in half precision.

    ``start`` are weights to begin with; without them those of the embedding model. A run that is
    over is not done again. Raises ``OtherRunError`` where ``build`` holds another run.
    """
    torch.manual_seed(settings.seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    build.mkdir(parents=True, exist_ok=True)
    final = build / "reader.safetensors"
    examples = read(data, settings)
    of = identity(settings, len(examples), start)
    if ended(build, of):
        print(f"{final} is trained already", flush=True)
        return final
    kind = LaterMaker if settings.contrast else Maker
    maker = kind(embedder, Pool(examples), settings.crop)
    order = plan(examples, scale(examples, maker, settings), settings)
    model = Reader(embedder, settings.dropout, settings.fresh)
    if start is not None:
        model.load_named(open_tensors(start))
    model = model.to(device)
    optimizer = torch.optim.AdamW(parameters(model, settings), fused=True, betas=(0.9, 0.98))
    average = {name: p.detach().clone() for name, p in model.named_parameters()}
    peaks = [group["lr"] for group in optimizer.param_groups]
    run = Run(model, optimizer, average, of)
    run.resume(build, device)
    clock = Clock(settings, len(order), run)
    half = half_is_faster(device)
    kind_of_numbers = "bfloat16" if half else "float32"
    print(
        f"{len(order)} groups of {len(examples)} examples, {device}, {kind_of_numbers}", flush=True
    )
    saved_at = time.monotonic()
    sums: dict[str, float] = {}
    model.train()
    for after, groups in batches(examples, order, maker, settings, run.group):
        progress = clock.progress(run)
        if progress >= 1:
            break
        rate = min(1.0, progress / settings.warmup, (1 - progress) / (1 - settings.warmup))
        for group, peak in zip(optimizer.param_groups, peaks, strict=True):
            group["lr"] = peak * max(rate, 0.002)
        batch = Batch.of(groups, device)
        for name, part in step(run, batch, settings, device, half).items():
            sums[name] = 0.98 * sums.get(name, part) + 0.02 * part
        run.group = after
        run.tokens += sum(batch.lengths)
        run.seconds = clock.seconds()
        if run.step % 20 == 0 or clock.steps(run) == FIRST_TOLD:
            release()
            clock.tell(run, sums)
        if time.monotonic() - saved_at > 60 * settings.save_minutes:
            export(model, run.average, build / f"reader-{run.tokens // 1000:06d}k.safetensors")
            run.save(build)
            saved_at = time.monotonic()
    export(model, run.average, final)
    export(model, dict(model.named_parameters()), build / "last.safetensors")
    run.end(build)
    return final


def half_is_faster(device: str) -> bool:
    """Whether products of matrices take less time in bfloat16 than in float32: a processor without
    it in hardware takes three times as long."""
    rows, weight = torch.ones(2048, DIM, device=device), torch.ones(DIM, INNER, device=device)

    def seconds(kind: torch.dtype) -> float:
        one, two = rows.to(kind), weight.to(kind)
        times = []
        for _ in range(5):
            begun = time.perf_counter()
            (one @ two)[0, 0].item()  # waits for the device
            times.append(time.perf_counter() - begun)
        return min(times)

    return seconds(torch.bfloat16) < seconds(torch.float32)


def step(run: Run, batch: Batch, settings: Settings, device: str, half: bool) -> dict[str, float]:
    """Learn from one batch and go on averaging; returns the parts of its loss."""
    with torch.autocast(device, torch.bfloat16, enabled=half):
        scores = run.model(batch.ids, batch.places, batch.types, batch.lengths)
    value, parts = loss(scores, batch, settings.pairs, settings.shared)
    value.backward()
    torch.nn.utils.clip_grad_norm_(run.model.parameters(), 1.0)
    run.optimizer.step()
    run.optimizer.zero_grad()
    run.step += 1
    keep = min(settings.average, (1 + run.step) / (10 + run.step))
    with torch.no_grad():
        weights = [p.detach() for p in run.model.parameters()]
        torch._foreach_lerp_(list(run.average.values()), weights, 1 - keep)
    return parts


class Clock:
    """How far a run is, and how long the rest takes at the speed since this process began."""

    def __init__(self, settings: Settings, groups: int, run: Run) -> None:
        self.settings = settings
        self.groups = groups
        self.before = run.seconds
        self.first_step = run.step
        self.began = time.monotonic()
        self.from_progress = self.progress(run)

    def seconds(self) -> float:
        """Of the whole run, stopped times left out."""
        return self.before + time.monotonic() - self.began

    def steps(self, run: Run) -> int:
        """Since this process began."""
        return run.step - self.first_step

    def progress(self, run: Run) -> float:
        """From 0 to 1: groups where they are planned, else tokens; or time, if that is further."""
        if self.settings.examples:
            done = run.group / self.groups
        else:
            done = run.tokens / self.settings.tokens
        if self.settings.minutes:
            done = max(done, self.seconds() / 60 / self.settings.minutes)
        return done

    def left(self, run: Run) -> float:
        """Minutes."""
        progress = self.progress(run)
        gone = (time.monotonic() - self.began) / 60
        return max(0.0, gone * (1 - progress) / max(progress - self.from_progress, 1e-9))

    def tell(self, run: Run, sums: dict[str, float]) -> None:
        """One line: where the run is, what it loses, how fast it is and how long it takes."""
        shown = " ".join(f"{name} {part:.3f}" for name, part in sorted(sums.items()))
        print(
            f"step {run.step} tokens {run.tokens / 1e6:.2f}M {self.progress(run):.3f} {shown}"
            f" | {run.seconds / run.tokens * 1e6:.0f} us/token {run.seconds / 60:.1f} min,"
            f" {self.left(run):.1f} min left",
            flush=True,
        )


def read(data: Path, settings: Settings) -> list[Example]:
    """The examples of a run."""
    found = [e for source in (OWN_SHARES if settings.own else SHARES) for e in load(data, source)]
    return [e for e in found if e.kind in ("yesno", "none") or any(p.answers for p in e.passages)]


def release() -> None:
    """Give free memory back where the C library is glibc: windows of ever other lengths leave
    holes between them, and within an hour they come to 20 GB."""
    libc = ctypes.CDLL(None) if sys.platform == "linux" else None
    if libc is not None and hasattr(libc, "malloc_trim"):
        libc.malloc_trim(0)


def scale(examples: list[Example], maker: Maker, settings: Settings) -> float:
    """How many passes of ``SHARES`` make the planned examples; or how many the tokens are enough
    for, from 600 groups of a first plan."""
    if settings.examples:
        return settings.examples / len(plan(examples, 1.0, settings))
    order = plan(examples, 1.0, replace(settings, later=0.0))
    sample = order[:600]
    tokens = sum(
        sum(g.tokens for g in groups) for _, groups in batches(examples, sample, maker, settings, 0)
    )
    return 1.03 * settings.tokens / (tokens / len(sample) * len(order))


def parameters(model: Reader, settings: Settings) -> list[dict]:
    """Groups for the optimizer: lower layers learn more slowly, norms and biases do not decay."""
    groups = []

    def add(modules, rate: float) -> None:
        found = [p for module in modules for p in module.parameters()]
        matrices = [p for p in found if p.ndim > 1]
        rest = [p for p in found if p.ndim <= 1]
        groups.append({"params": matrices, "lr": rate, "weight_decay": settings.weight_decay})
        groups.append({"params": rest, "lr": rate, "weight_decay": 0.0})

    add([model.positions, model.types, model.norm], settings.rate * settings.layer_decay**LAYERS)
    for at, layer in enumerate(model.layers):
        add([layer], settings.rate * settings.layer_decay ** (LAYERS - 1 - at))
    add(list(model.heads()), settings.head_rate)
    return groups


def export(model: Reader, average: dict[str, torch.Tensor], path: Path) -> None:
    """Write the averaged weights in half precision, in the layout that is shipped."""
    kept = {name: p.detach().clone() for name, p in model.named_parameters()}
    with torch.no_grad():
        for name, p in model.named_parameters():
            p.copy_(average[name])
        tensors = {
            name: t.detach().float().cpu().numpy().astype(np.float16)
            for name, t in model.named().items()
        }
        for name, p in model.named_parameters():
            p.copy_(kept[name])
    save_file({name: np.ascontiguousarray(t) for name, t in tensors.items()}, path)


def package(embedder: Path, trained: Path, target: Path) -> None:
    """Write the weights that are shipped: the trained ones, and some rows of the vocabulary that
    they go with, by which another one is known."""
    words = open_tensors(embedder / "model.safetensors")["embeddings.word_embeddings.weight"]
    tensors = {name: np.array(tensor) for name, tensor in open_tensors(trained).items()}
    tensors[SAMPLE] = words[SAMPLE_ROWS].astype(np.float16)
    save_file(tensors, target)


def between(first: Path, second: Path, target: Path) -> Path:
    """Write the mean of two files of weights: what the first knew and the second learned.

    Wortsman et al. 2022, "Robust fine-tuning of zero-shot models",
    https://arxiv.org/abs/2109.01903.
    """
    one, two = open_tensors(first), open_tensors(second)
    mean = {
        name: ((one[name].astype(np.float32) + two[name].astype(np.float32)) / 2).astype(np.float16)
        for name in two
    }
    save_file(mean, target)
    return target


def restore(embedder: Path, weights: Path) -> Reader:
    """The model with the weights of a file, for measuring."""
    model = Reader(embedder)
    model.load_named(open_tensors(weights))
    return model.eval()
