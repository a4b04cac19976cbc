"""Disables network access of the libraries that would download models or send reports.

The libraries read these environment variables at import, so ``ragcli.models`` sets them when it is
imported.
"""

from __future__ import annotations

import os

# Set in any case: this program never downloads anything.
FORCED = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_IMPLICIT_TOKEN": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "DO_NOT_TRACK": "1",
}

# Defaults, which the environment may override.
DEFAULTS = {
    # Either value silences the tokenizers' warning about forked workers.
    "TOKENIZERS_PARALLELISM": "true",
    "TRANSFORMERS_VERBOSITY": "error",
    "TRANSFORMERS_NO_ADVISORY_WARNINGS": "1",
}


def go_offline() -> None:
    """Set the variables for this process and its children. A second call changes nothing."""
    os.environ.update(FORCED)
    for name, value in DEFAULTS.items():
        os.environ.setdefault(name, value)
