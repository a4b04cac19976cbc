"""Loads and runs models.

In: texts and folders of weights on this machine. Out: vectors, names, spans and replies. A heavy
library is imported by one or two modules, when it is needed. Nothing here uses the network:
importing this package forbids it to libraries that are imported later (``offline``). It may not
decide what a model is used for.
"""

from ragcli.models.offline import go_offline

BIG_MODEL_PARAMETERS = 1_000_000_000
"""A model of at least this size rewrites questions and names clusters in its own words. A
smaller one is used only to copy or choose (docs/adr/extractive-answers.md). Whether one answers is
tested (``answer.reading_test``)."""

go_offline()
