"""Models: one owner for each heavy library, and no network for any of them.

Importing this package imports nothing heavy. It does close the network for the libraries that
its modules import later (``offline``), so that no owner can forget to.
"""

from ragcli.models.offline import go_offline

BIG_MODEL_PARAMETERS = 1_000_000_000
"""From this size on a model answers, rewrites questions, summarises and describes in its own words.

A smaller one is used where it only copies or chooses (docs/adr/extractive-answers.md)."""

go_offline()
