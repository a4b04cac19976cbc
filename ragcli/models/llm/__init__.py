"""Runs a language model on this machine; the only package that uses llama.cpp.

In: prompts with grammars. Out: replies that do not depend on what else is asked at the same time.
``llama_cpp`` is an optional extra and slow to import, so it is imported when an ``Llm`` is created.
It may not build prompts or keep replies.
"""

from ragcli.models.llm.engine import Llm
from ragcli.models.llm.llama_library import llama_installed

__all__ = ["Llm", "llama_installed"]
