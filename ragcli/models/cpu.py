"""Finds the processors and the memory that this process may use.

``os.cpu_count()`` counts the machine's processors. A container or a batch job often has fewer,
because of its affinity or the quota of its control group. With one thread too many, numeric
libraries spin on locks instead of computing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

PROC = Path("/proc")
CGROUPS = Path("/sys/fs/cgroup")


def usable_cpus(proc: Path = PROC, cgroups: Path = CGROUPS) -> int:
    """Return the processors that this process may use, by affinity and quota; at least 1."""
    try:
        count = len(os.sched_getaffinity(0))
    except AttributeError:  # macOS and Windows have neither affinity nor control groups
        return os.cpu_count() or 1
    quotas = [quota for folder in _groups(proc, cgroups) if (quota := _quota(folder)) is not None]
    return max(1, min(count, *(int(quota) for quota in quotas))) if quotas else count


def cpu_flags(cpuinfo: Path = PROC / "cpuinfo") -> frozenset[str]:
    """Return the feature flags of the first processor on Linux; empty on other systems."""
    fields = _fields(cpuinfo)
    flags = (value for name, value in fields if name in ("flags", "Features"))  # x86, Arm
    return frozenset(next(flags, "").split())


def has_bf16(flags: frozenset[str] | None = None) -> bool:
    """Return whether the processor multiplies bfloat16 (AVX-512 BF16, AMX or Arm BF16)."""
    return not {"avx512_bf16", "amx_bf16", "bf16"}.isdisjoint(
        cpu_flags() if flags is None else flags
    )


def available_memory(meminfo: Path = PROC / "meminfo") -> int | None:
    """Return the bytes that can be allocated without swapping, None if unknown."""
    free = (value for name, value in _fields(meminfo) if name == "MemAvailable")
    return next((int(value.split()[0]) * 1024 for value in free), None)


def _fields(file: Path) -> Iterator[tuple[str, str]]:
    """(name, value) of the lines ``name: value``; none where the file cannot be read."""
    try:
        text = file.read_text(encoding="ascii", errors="replace")
    except OSError:
        return
    for line in text.splitlines():
        name, _, value = line.partition(":")
        yield name.strip(), value


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let NumPy multiply matrices in one thread inside the ``with`` block.

    A second thread does not help with small matrices. If another program uses its core, the first
    thread waits for it: embedding a question then took 0.3 to 1.4 s instead of 0.05 s.
    """
    with _blas().limit(limits=1, user_api="blas"):
        yield


@cache
def _blas() -> Any:
    """Find the loaded libraries once, which takes 10 ms; setting a limit then takes no time."""
    return import_module("threadpoolctl").ThreadpoolController()


def _groups(proc: Path, cgroups: Path) -> list[Path]:
    """Return the folders whose CPU quota limits this process: its groups and all their parents.

    A line of ``/proc/self/cgroup`` is ``id:controllers:path``; version 2 has no controllers.
    Inside a container the path may not be mounted, so the roots are included.
    """
    try:
        lines = (proc / "self" / "cgroup").read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    folders: list[Path] = []
    for line in lines:
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if controllers and "cpu" not in controllers.split(","):
            continue
        root = cgroups / controllers if controllers else cgroups
        parts = [part for part in path.split("/") if part and part != ".."]
        folders += [root.joinpath(*parts[:depth]) for depth in range(len(parts), -1, -1)]
    return folders


def _quota(folder: Path) -> float | None:
    """Return the CPUs that a control group grants (quota / period), None if it has no limit."""
    version2 = _read(folder / "cpu.max").split()
    if len(version2) == 2 and version2[0] != "max":
        return int(version2[0]) / int(version2[1])
    quota, period = _read(folder / "cpu.cfs_quota_us"), _read(folder / "cpu.cfs_period_us")
    if quota and period and int(quota) > 0:
        return int(quota) / int(period)
    return None


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii").strip()
    except OSError:
        return ""
