"""Runs a language model on this machine. This is the only package that uses llama.cpp.

``llama_cpp`` is an optional extra and slow to import, so it is imported when an ``Llm`` is created.
"""

from ragcli.models.llm.engine import Llm
from ragcli.models.llm.llama_library import llama_installed

__all__ = ["Llm", "llama_installed"]
