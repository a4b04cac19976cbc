"""Run a command of ragcli in this process: its output without the time that imports take."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import chdir
from pathlib import Path
from subprocess import CompletedProcess
from unittest.mock import patch

from ragcli.cli import main


def run(
    words: Sequence[str],
    cwd: Path | None = None,
    input: str = "",
    env: Mapping[str, str] | None = None,
) -> CompletedProcess[str]:
    """What ``ragcli WORDS...`` prints, and its exit code; not with --debug, which would stay on.

    ``env``: variables that are added to those of this process.
    """
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with (
        chdir(cwd or Path.cwd()),
        patch.dict(os.environ, env or {}),
        patch.multiple(sys, stdin=io.StringIO(input), stdout=out, stderr=err),
        patch.object(sys, "argv", ["ragcli", *words]),
    ):
        try:
            main()
        except SystemExit as stop:
            code = int(stop.code or 0)
    said = []
    for stream in (out, err):
        stream.flush()
        said.append(stream.buffer.getvalue().decode())
    return CompletedProcess(list(words), code, *said)
