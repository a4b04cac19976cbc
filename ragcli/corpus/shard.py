"""Shards: the documents of a folder, divided among machines that share nothing.

The id of a file decides to which shard it belongs. So every machine finds its own part alone, the
parts are of about the same size, and a file stays in its shard when others come and go. The records
of a JSON Lines file are divided by their own ids, because such a file can be a whole corpus.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from hashlib import blake2b

from ragcli.corpus.scan import Scan
from ragcli.errors import InputError

MOST_SHARDS = 9999


@dataclass(frozen=True, slots=True)
class Shard:
    """One of ``of`` shards; ``number`` counts from 1. 1 of 1 holds all documents."""

    number: int = 1
    of: int = 1

    @classmethod
    def parse(cls, text: str) -> Shard:
        """The shard that "I/N" names. Raises InputError.

        >>> Shard.parse("2/4")
        Shard(number=2, of=4)
        """
        found = re.fullmatch(r"(\d{1,9})/(\d{1,9})", text, re.ASCII)
        number, of = map(int, found.groups()) if found else (0, 0)
        if not 1 <= number <= of <= MOST_SHARDS:
            raise InputError(
                f"a shard cannot be {text!r}",
                f"write I/N, such as 2/4 for the second of four; N is at most {MOST_SHARDS}",
            )
        return cls(number, of)

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def concerns(self, source: str) -> bool:
        """Whether a document of this file may be in the shard."""
        return is_divided(source) or self._is_home_of(source)

    def holds(self, source: str, doc: str) -> bool:
        """Whether a document, or a failure, of this file is in the shard."""
        return self._is_home_of(doc if is_divided(source) else source)

    def part_of(self, found: Scan) -> Scan:
        """A scan with only the files that the shard concerns."""
        return replace(found, sources=tuple(s for s in found.sources if self.concerns(s.id)))

    def _is_home_of(self, id_: str) -> bool:
        if self.of == 1:
            return True
        stamp = blake2b(id_.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        return int.from_bytes(stamp) % self.of == self.number - 1


WHOLE = Shard()


def fingerprint(found: Scan) -> str:
    """A hash of the ids and sizes of all files: the same on machines with the same documents."""
    stamp = blake2b(digest_size=16)
    for source in found.sources:
        stamp.update(f"{source.id}\0{source.size}\n".encode("utf-8", "surrogatepass"))
    return stamp.hexdigest()


def is_divided(source: str) -> bool:
    """Whether the documents of a file may be in several shards."""
    return source.lower().endswith(".jsonl")
