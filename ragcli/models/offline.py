"""Close the network for the libraries that would fetch models or send reports.

They read these variables once, at import, so they must be set before: ``ragcli.models`` does it
when it is imported.
"""

from __future__ import annotations

import os

# Forced, whatever the shell says: this program never fetches.
FORCED = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_IMPLICIT_TOKEN": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "DO_NOT_TRACK": "1",
}

# Preferences, which the shell may overrule.
DEFAULTS = {
    # Said either way, it silences the tokenizers' warning about forked workers.
    "TOKENIZERS_PARALLELISM": "true",
    "TRANSFORMERS_VERBOSITY": "error",
    "TRANSFORMERS_NO_ADVISORY_WARNINGS": "1",
}


def go_offline() -> None:
    """Set the variables for this process and its children. Calling it again changes nothing."""
    os.environ.update(FORCED)
    for name, value in DEFAULTS.items():
        os.environ.setdefault(name, value)
