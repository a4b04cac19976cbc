"""A language model on this machine: the one room that knows llama.cpp.

``llama_cpp`` is an optional extra and slow to import: that happens when an ``Llm`` is made.
"""

from ragcli.models.llm.engine import Llm
from ragcli.models.llm.library import llama_installed

__all__ = ["Llm", "llama_installed"]
