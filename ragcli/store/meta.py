"""Named values of a store: its generation, settings and rates (table ``meta``)."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from datetime import UTC, datetime

import orjson

from ragcli.errors import StoreVersion


@dataclass(frozen=True, slots=True)
class Patterns:
    """Patterns of files to include and exclude, as in .gitignore; none: all files."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


def get_meta(db: sqlite3.Connection, key: str, default: str = "") -> str:
    row = db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return default if row is None else str(row[0])


def set_meta(db: sqlite3.Connection, key: str, value: str) -> None:
    db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))


def generation(db: sqlite3.Connection) -> int:
    """The generation that readers see; 0 before the first commit point."""
    return int(get_meta(db, "generation", "0"))


def begins_after(db: sqlite3.Connection) -> int:
    """The last generation before this store: 0, or that of a replaced store whose history is not
    known."""
    return int(get_meta(db, "begins_after", "0"))


def has_pending(db: sqlite3.Connection) -> bool:
    """Whether a run has written documents that no commit has shown yet."""
    query = "SELECT 1 FROM documents WHERE born > ? LIMIT 1"
    return db.execute(query, (generation(db),)).fetchone() is not None


def check_fingerprint(db: sqlite3.Connection, wanted: dict[str, str]) -> None:
    """Reject different models or settings than those of the store; record them if new."""
    stored = get_meta(db, "fingerprint")
    if not stored:
        set_meta(db, "fingerprint", orjson.dumps(wanted, option=orjson.OPT_SORT_KEYS).decode())
        return
    found: dict[str, str] = orjson.loads(stored)
    for key in sorted(found.keys() | wanted.keys()):
        if found.get(key) != wanted.get(key):
            raise _other_version(key, found.get(key, "none"), wanted.get(key, "none"))


def _other_version(key: str, found: str, wanted: str) -> StoreVersion:
    """The error for a store that was made with another model, or by another version of ragcli."""
    if key == "extractor":  # model.rules.other languages' models
        was, now_is = found.split("."), wanted.split(".")
        if was[:1] + was[2:] == now_is[:1] + now_is[2:]:
            return StoreVersion(
                "another version of ragcli made the store and reads documents in another way"
                f" (rules {was[1]}, now {now_is[1]})",
                "make it anew from the same files with: ragcli index --rebuild",
            )
    return StoreVersion(
        f"the store was built with {key} {found}, but now it is {wanted}",
        "use the former setting, or rebuild it with: ragcli index --rebuild",
    )


def now() -> str:
    """The current time in the format of the store: UTC, in seconds."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class _Text:
    """A value of ``Meta`` that is a text; "" until it is set."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, meta: Meta, owner: type) -> str:
        return get_meta(meta.db, self._name)

    def __set__(self, meta: Meta, value: str) -> None:
        set_meta(meta.db, self._name, value)


class Meta:
    """Values that later runs use: settings and rates.

    Each value is read and written separately, in the caller's transaction if there is one.
    """

    mode = _Text()
    """How the chunks are read (see ``config.INDEX_MODES``)."""
    readers = _Text()
    """The readers of installed packages when the files were read; see ``corpus.read``."""
    shard = _Text()
    """Which part of the documents the store has, as "I/N"; "": all of them."""
    scanned = _Text()
    """The fingerprint of all files, of which a shard has a part; "" in other stores."""
    ocr = _Text()
    """What read scanned pages when all folders were last looked at; "": nothing."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self.db = db

    def check_fingerprint(self, wanted: dict[str, str]) -> None:
        """See ``check_fingerprint``."""
        check_fingerprint(self.db, wanted)

    @property
    def patterns(self) -> Patterns:
        """The patterns of files that the store includes."""
        include, exclude = (get_meta(self.db, key).splitlines() for key in ("include", "exclude"))
        return Patterns(tuple(include), tuple(exclude))

    @patterns.setter
    def patterns(self, patterns: Patterns) -> None:
        set_meta(self.db, "include", "\n".join(patterns.include))
        set_meta(self.db, "exclude", "\n".join(patterns.exclude))

    @property
    def seconds_per_word(self) -> float:
        """What a word took in the last run without a language model; 0 where there was none."""
        return float(get_meta(self.db, "seconds_per_word", "0"))

    def keep_run(self, stages: dict[str, float], seconds_per_word: float) -> None:
        """Save the seconds of a run's stages, and its rate."""
        set_meta(self.db, "stages", orjson.dumps(stages).decode())
        set_meta(self.db, "seconds_per_word", str(seconds_per_word))
