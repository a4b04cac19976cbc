"""The error family: every message says what was found, every hint names the mending command."""

from __future__ import annotations


class RagcliError(Exception):
    """Base of all errors that a user can mend; ``hint`` is one line, "" when there is none."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class ConfigError(RagcliError):
    """A setting is unknown or has a value that cannot be used."""


class InputError(RagcliError):
    """A path, file or argument given by the user cannot be used."""


class ReadError(InputError):
    """One file cannot be read as a document; indexing goes on without it."""


class ModelError(RagcliError):
    """A model is missing, damaged, or not of the expected kind."""


class StoreError(RagcliError):
    """The store cannot be used as it is."""


class StoreMissing(StoreError):
    """No store was found where one was expected."""


class StoreLocked(StoreError):
    """Another process is writing to the store."""


class StoreVersion(StoreError):
    """The store was made by another format version or with other models."""


class StoreDamaged(StoreError):
    """The store's files do not hold what they should."""


class BundleError(RagcliError):
    """A bundle cannot be read or written."""
