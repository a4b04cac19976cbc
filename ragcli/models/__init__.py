"""Loads and runs models. Each heavy library is used by one module, and none uses the network.

Importing this package imports no heavy library. It disables network access for the libraries that
its modules import later (``offline``).
"""

from ragcli.models.offline import go_offline

BIG_MODEL_PARAMETERS = 1_000_000_000
"""A model of at least this size rewrites questions and names clusters in its own words. A
smaller one is used only to copy or choose (docs/adr/extractive-answers.md). Whether one answers is
tested (``answer.reading_test``)."""

go_offline()
