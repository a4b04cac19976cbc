"""Counting processors under affinity and quotas, with made-up /proc and /sys folders."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from ragcli.models.cpu import available_memory, cpu_flags, has_bf16, usable_cpus


@pytest.fixture
def eight(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that may run on eight processors."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(8)), raising=False)


def system(root: Path, groups: str, files: dict[str, str]) -> tuple[Path, Path]:
    """Folders standing for /proc and /sys/fs/cgroup."""
    (root / "proc" / "self").mkdir(parents=True)
    (root / "proc" / "self" / "cgroup").write_text(groups)
    for name, text in files.items():
        path = root / "cgroup" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root / "proc", root / "cgroup"


@pytest.mark.parametrize(
    ("groups", "files", "expected"),
    [
        ("0::/\n", {}, 8),
        ("0::/\n", {"cpu.max": "max 100000\n"}, 8),
        ("0::/a/b\n", {"a/b/cpu.max": "250000 100000\n"}, 2),
        ("0::/a/b\n", {"a/cpu.max": "300000 100000\n", "a/b/cpu.max": "max 100000"}, 3),
        ("0::/\n", {"cpu.max": "50000 100000\n"}, 1),
        ("0::/../other\n", {"cpu.max": "400000 100000\n"}, 4),
        ("0::/\n", {"cpu.max": "6400000 100000\n"}, 8),
        (
            "4:memory:/m\n3:cpu,cpuacct:/job\n",
            {
                "cpu,cpuacct/job/cpu.cfs_quota_us": "150000",
                "cpu,cpuacct/job/cpu.cfs_period_us": "50000",
            },
            3,
        ),
        ("1:cpu:/\n", {"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, 8),
    ],
)
def test_quotas_cut_the_affinity(
    tmp_path: Path, eight: None, groups: str, files: dict[str, str], expected: Any
) -> None:
    """Version 1 and 2, quotas of groups above, rounding down, never below one."""
    assert usable_cpus(*system(tmp_path, groups, files)) == expected


def test_no_proc_means_affinity_alone(tmp_path: Path, eight: None) -> None:
    """A system without /proc sets no quota."""
    assert usable_cpus(tmp_path / "none", tmp_path / "none") == 8


def test_this_machine() -> None:
    """The real files give a number that makes sense."""
    assert 1 <= usable_cpus() <= (os.cpu_count() or 1)


def test_flags_are_those_of_the_first_processor(tmp_path: Path) -> None:
    """x86 calls the line flags, Arm calls it Features."""
    info = tmp_path / "cpuinfo"
    info.write_text("processor : 0\nflags\t\t: fpu avx512_bf16\n\nprocessor : 1\nflags : fpu\n")
    assert has_bf16(cpu_flags(info))
    info.write_text("Features : fp asimd\n")
    assert not has_bf16(cpu_flags(info))
    assert cpu_flags(tmp_path / "none") == frozenset()
    assert not has_bf16(frozenset())


def test_available_memory(tmp_path: Path) -> None:
    """Kibibytes become bytes; unknown is None."""
    info = tmp_path / "meminfo"
    info.write_text("MemTotal: 10 kB\nMemAvailable:    4 kB\n")
    assert available_memory(info) == 4096
    assert available_memory(tmp_path / "none") is None
