"""Ask questions of your own documents on your own machine.

    import ragcli

    ragcli.index(["docs"], store=".ragcli")
    with ragcli.Store.open(".ragcli") as store:
        print(store.ask("Who founded the observatory?").reply.text)

The names in ``__all__`` are the whole public API (docs/python.md); every other module may change
in any release. Each name is imported on first use, so ``import ragcli`` is fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ragcli.version import VERSION as __version__  # noqa: N811

if TYPE_CHECKING:
    from ragcli.api import Conversation, Store, Stores, index, merge, update
    from ragcli.config import Settings, load_settings
    from ragcli.errors import (
        BundleError,
        ConfigError,
        InputError,
        ModelError,
        RagcliError,
        ReadError,
        StoreDamaged,
        StoreError,
        StoreLocked,
        StoreMissing,
        StoreVersion,
    )
    from ragcli.types import (
        Answer,
        Citation,
        Document,
        Event,
        Hit,
        IndexResult,
        Reply,
        Scope,
        Skipped,
        Via,
    )

__all__ = [
    "Answer",
    "BundleError",
    "Citation",
    "ConfigError",
    "Conversation",
    "Document",
    "Event",
    "Hit",
    "IndexResult",
    "InputError",
    "ModelError",
    "RagcliError",
    "ReadError",
    "Reply",
    "Scope",
    "Settings",
    "Skipped",
    "Store",
    "StoreDamaged",
    "StoreError",
    "StoreLocked",
    "StoreMissing",
    "StoreVersion",
    "Stores",
    "Via",
    "__version__",
    "index",
    "load_settings",
    "merge",
    "update",
]

_HOME = {
    **dict.fromkeys(("Conversation", "Store", "Stores", "index", "merge", "update"), "ragcli.api"),
    **dict.fromkeys(("Settings", "load_settings"), "ragcli.config"),
    **dict.fromkeys(
        (
            "Answer",
            "Citation",
            "Document",
            "Event",
            "Hit",
            "IndexResult",
            "Reply",
            "Scope",
            "Skipped",
            "Via",
        ),
        "ragcli.types",
    ),
    **dict.fromkeys(
        (
            "BundleError",
            "ConfigError",
            "InputError",
            "ModelError",
            "RagcliError",
            "ReadError",
            "StoreDamaged",
            "StoreError",
            "StoreLocked",
            "StoreMissing",
            "StoreVersion",
        ),
        "ragcli.errors",
    ),
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used (PEP 562)."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
