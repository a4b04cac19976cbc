"""What this process may use of the machine's processors.

``os.cpu_count()`` counts the machine's processors. A container or a batch job often gets fewer,
by affinity or by a quota of its control group, and one thread too many makes numeric libraries
spin on locks instead of computing.
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
    """Processors this process may use: affinity, cut by the control group's quota; at least 1."""
    try:
        count = len(os.sched_getaffinity(0))
    except AttributeError:  # macOS and Windows have neither affinity nor control groups
        return os.cpu_count() or 1
    quotas = [quota for folder in _groups(proc, cgroups) if (quota := _quota(folder)) is not None]
    return max(1, min(count, *(int(quota) for quota in quotas))) if quotas else count


def cpu_flags(cpuinfo: Path = PROC / "cpuinfo") -> frozenset[str]:
    """Names of the first processor's abilities as Linux gives them; empty elsewhere."""
    try:
        text = cpuinfo.read_text(encoding="ascii", errors="replace")
    except OSError:
        return frozenset()
    for line in text.splitlines():
        name, _, value = line.partition(":")
        if name.strip() in ("flags", "Features"):  # x86, Arm
            return frozenset(value.split())
    return frozenset()


def has_bf16(flags: frozenset[str] | None = None) -> bool:
    """Whether the processor multiplies bfloat16 in hardware (AVX-512 BF16, AMX or Arm BF16)."""
    return not {"avx512_bf16", "amx_bf16", "bf16"}.isdisjoint(
        cpu_flags() if flags is None else flags
    )


def available_memory(meminfo: Path = PROC / "meminfo") -> int | None:
    """Bytes that can be allocated without swapping, None where the system does not say."""
    try:
        text = meminfo.read_text(encoding="ascii", errors="replace")
    except OSError:
        return None
    for line in text.splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return None


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let NumPy multiply matrices in one thread inside.

    For small matrices a second thread gains nothing, and while another program holds its core
    the first one waits for it: embedding a question then took 0.3 to 1.4 s instead of 0.05 s.
    """
    with _blas().limit(limits=1, user_api="blas"):
        yield


@cache
def _blas() -> Any:
    """Finds the loaded libraries once: 10 ms, where setting a limit is free."""
    return import_module("threadpoolctl").ThreadpoolController()


def _groups(proc: Path, cgroups: Path) -> list[Path]:
    """Folders whose CPU quota binds this process: its groups and all groups above them.

    A line of ``/proc/self/cgroup`` is ``id:controllers:path``; version 2 has no controllers.
    Inside a container the path may lie outside what is mounted, so the roots are read as well.
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
    """CPUs that a control group grants (quota / period), None when it sets no limit."""
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
