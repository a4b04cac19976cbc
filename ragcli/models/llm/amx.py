"""Tests once, in a separate process, whether llama.cpp's AMX kernels work on this machine.

AMX multiplies 8-bit matrices several times as fast as other instructions of an x86 processor. But
GCC before 11.5, 12.4 and 13.3 declares the instruction that configures the tiles incorrectly and
removes the configuration. A llama.cpp built with such a GCC crashes at the first token. The library
does not say how it was built, so the test runs a small model with both kinds of kernels.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path

from ragcli.models.cpu import cpu_flags
from ragcli.models.kept_results import read_results, write_results
from ragcli.models.locate import package_folder

_log = logging.getLogger(__name__)

REPAIR = "CXXFLAGS=-fno-dse pip install --force-reinstall --no-deps --no-cache-dir llama-cpp-python"
"""The command that builds a llama-cpp-python whose AMX kernels work, with any GCC."""

# Runs in a separate process, which may crash, so this module does not import it.
_TRIAL = "import sys; from ragcli.models.llm.amx_trial import main; sys.exit(main())"
_FILE = ".amx.json"
_SECONDS = 60  # the trial takes one second; after this time it hangs


def has_amx() -> bool:
    """Return whether the processor has AMX; always False on systems other than Linux."""
    return "amx_int8" in cpu_flags()


@cache
def amx_works() -> bool:
    """Return whether the AMX kernels do not crash and give the same results as the plain ones.

    The result is stored beside the user's models until the library or the processor changes.
    """
    key = _key()
    known = read_results(_FILE)
    if known.get("key") == key and "works" in known:
        return bool(known["works"])
    works = _try()
    with suppress(OSError):  # without it, the next run tests again
        write_results(_FILE, {"key": key, "works": works})
    return works


def _key() -> str:
    """Return a key for the library's files and the processor's features."""
    given = os.environ.get("LLAMA_CPP_LIB_PATH")
    package = package_folder("llama_cpp")
    folder = Path(given) if given else package / "lib" if package else None
    files = sorted(folder.glob("*ggml*")) if folder else []
    facts = [f"{file}\0{file.stat().st_size}\0{file.stat().st_mtime_ns}" for file in files]
    return sha256("\n".join([*facts, *sorted(cpu_flags())]).encode()).hexdigest()


def _try(code: str = _TRIAL) -> bool:
    """Run the trial in another process, which may crash, with the same packages as this one."""
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
        _log.debug("the test of the AMX kernels did not end: %r", error)
        return False
    if done.returncode:
        _log.debug(
            "the test of the AMX kernels ended with %d: %s", done.returncode, done.stderr[-500:]
        )
    return done.returncode == 0
