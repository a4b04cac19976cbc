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
    from ragcli.corpus.normalised_text import normalise
    from ragcli.corpus.read.file_text import FileText, NoText, Unreadable
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
    from ragcli.types.blocks import Block

__all__ = [
    "Answer",
    "Block",
    "BundleError",
    "Citation",
    "ConfigError",
    "Conversation",
    "Document",
    "Event",
    "FileText",
    "Hit",
    "IndexResult",
    "InputError",
    "ModelError",
    "NoText",
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
    "Unreadable",
    "Via",
    "__version__",
    "index",
    "load_settings",
    "merge",
    "normalise",
    "update",
]

_NAMES = {
    "ragcli.api": "Conversation Store Stores index merge update",
    "ragcli.config": "Settings load_settings",
    "ragcli.types": "Answer Citation Document Event Hit IndexResult Reply Scope Skipped Via",
    "ragcli.types.blocks": "Block",
    "ragcli.corpus.normalised_text": "normalise",
    "ragcli.corpus.read.file_text": "FileText NoText Unreadable",
    "ragcli.errors": "BundleError ConfigError InputError ModelError RagcliError ReadError "
    "StoreDamaged StoreError StoreLocked StoreMissing StoreVersion",
}
_HOME = {name: module for module, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used (PEP 562)."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
