"""What a language model, or recorded extractions, add to a store with its next generation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ragcli.enriching.profile_summaries import ModelSummaries
from ragcli.store.findings import ChunkFindings
from ragcli.store.hierarchy import ClusterWords


@dataclass(frozen=True, slots=True)
class Additions:
    """What a commit adds beside the pending documents.

    ``findings``: what has been found in chunks, whose documents may stay as they are: such a
    document is taken away from the sums and added again (an upgrade in place). ``summaries``: a
    language model's, which take the place of the profiles that wait for them; ``words``: what one
    wrote of the hierarchy as it is, when nothing else has changed.
    """

    findings: Sequence[ChunkFindings] = ()
    summaries: ModelSummaries | None = None
    words: ClusterWords | None = None

    def __bool__(self) -> bool:
        return bool(self.findings or self.summaries or self.words)


# Makes additions a part of what readers see.
Show = Callable[[Additions], None]
NOTHING = Additions()
