"""The exceptions of ragcli. A message says what is wrong; a hint says how to fix it."""

from __future__ import annotations


class RagcliError(Exception):
    """Base class of all errors that a user can fix. ``hint`` is one line, or "" for none."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class ConfigError(RagcliError):
    """A setting is unknown or has an invalid value."""


class InputError(RagcliError):
    """A path, file or argument that the user gave cannot be used."""


class ReadError(InputError):
    """A file cannot be read as a document; indexing continues without it."""


class ModelError(RagcliError):
    """A model is missing, damaged, or of the wrong kind."""


class StoreError(RagcliError):
    """The store cannot be used in its present state."""


class StoreMissing(StoreError):
    """There is no store at the expected place."""


class StoreLocked(StoreError):
    """Another process is writing to the store."""


class StoreVersion(StoreError):
    """The store has another format version, or was made with other models."""


class StoreDamaged(StoreError):
    """The store's files are damaged or inconsistent."""


class BundleError(RagcliError):
    """A bundle cannot be read or written."""
