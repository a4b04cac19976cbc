"""Whether llama.cpp's kernels for AMX work here: tried once, in a process of its own.

AMX multiplies 8-bit matrices several times as fast as anything else on an x86 processor. But
releases of GCC before 11.5, 12.4 and 13.3 declare the instruction that shapes its tiles wrongly
and drop what is written there, so that a llama.cpp built with them ends the process at the first
token. Nothing in the library tells; so a small model goes through both kinds of kernels.
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path

from ragcli.models.cpu import cpu_flags
from ragcli.models.locate import models_folder, package_folder

_log = logging.getLogger(__name__)

REPAIR = "CXXFLAGS=-fno-dse pip install --force-reinstall --no-deps --no-cache-dir llama-cpp-python"
"""The command that builds a llama-cpp-python whose AMX kernels work, with any GCC."""

# Run by name in a process of its own, which may crash; so nothing imports it here.
_TRIAL = "import sys; from ragcli.models.llm.amx_trial import main; sys.exit(main())"
_SECONDS = 60  # the trial takes one; more means that it hangs


def has_amx() -> bool:
    """Whether the processor can (told on Linux only)."""
    return "amx_int8" in cpu_flags()


@cache
def amx_works() -> bool:
    """Whether the kernels neither crash nor say other things than the plain ones.

    What was found is kept beside the user's models until library or processor change.
    """
    kept, key = models_folder() / ".amx.json", _key()
    try:
        known = json.loads(kept.read_text(encoding="utf-8"))
        if known["key"] == key:
            return bool(known["works"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        # Nothing is known yet, or the file is damaged.
        _log.debug("%s tells nothing (%r); trying the AMX kernels", kept, error)
    works = _try()
    _keep(kept, {"key": key, "works": works})
    return works


def _key() -> str:
    """Names the library's files and the processor's abilities."""
    given = os.environ.get("LLAMA_CPP_LIB_PATH")
    package = package_folder("llama_cpp")
    folder = Path(given) if given else package / "lib" if package else None
    files = sorted(folder.glob("*ggml*")) if folder else []
    facts = [f"{file}\0{file.stat().st_size}\0{file.stat().st_mtime_ns}" for file in files]
    return sha256("\n".join([*facts, *sorted(cpu_flags())]).encode()).hexdigest()


def _try(code: str = _TRIAL) -> bool:
    """The trial in another process, which may crash; it finds the same packages as this one."""
    try:
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        _log.debug("the trial of the AMX kernels did not end: %r", error)
        return False
    if done.returncode:
        _log.debug(
            "the trial of the AMX kernels ended with %d: %s", done.returncode, done.stderr[-500:]
        )
    return done.returncode == 0


def _keep(path: Path, found: dict[str, object]) -> None:
    """Write it, whole or not at all. Where it cannot be written, the next run tries again."""
    partial = path.with_name(f"{path.name}.{os.getpid()}")
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            partial.write_text(json.dumps(found), encoding="utf-8")
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)
