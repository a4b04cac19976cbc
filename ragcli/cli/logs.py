"""The log: warnings as plain lines on standard error, every step with --debug."""

from __future__ import annotations

import logging
import os
import sys

from ragcli.text.terminal import harmless, harmless_line


class _HarmlessFormatter(logging.Formatter):
    """Formats records so that no file name or text can steer the terminal or forge a line."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the base's name
        record.message = harmless_line(record.message)
        return super().formatMessage(record)

    def format(self, record: logging.LogRecord) -> str:
        return harmless(super().format(record))


def log_to_stderr() -> None:
    """Log warnings as plain lines; with RAGCLI_DEBUG log every step with time and logger."""
    debug = bool(os.environ.get("RAGCLI_DEBUG"))
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        _HarmlessFormatter("%(asctime)s %(name)s: %(message)s" if debug else "ragcli: %(message)s")
    )
    log = logging.getLogger("ragcli")
    log.handlers = [handler]
    log.propagate = False
    log.setLevel(logging.DEBUG if debug else logging.WARNING)
