"""Finds the lemmas of nouns with the rules of spaCy's English lemmatizer."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any


class Lemmas:
    """Returns the lemma of nouns and proper nouns, given their features."""

    def __init__(self, tables: dict[str, Any], key: Callable[[str], int]) -> None:
        """``tables``: content of the lemmatizer's lookups; ``key``: a string's number in them."""
        noun = key("noun")
        self._index = frozenset(tables["lemma_index"][noun])
        self._exceptions: dict[str, list[str]] = tables["lemma_exc"][noun]
        self._rules = [(old, new) for old, new in tables["lemma_rules"][noun]]
        if any(key("propn") in table for table in tables.values()):
            raise ValueError("lemma rules for proper nouns are not supported")
        self._by_rule = lru_cache(maxsize=1 << 14)(self._look_up)

    def __call__(self, text: str, features: dict[str, str]) -> str:
        """Return the lemma of a word with these features (of Universal Dependencies)."""
        if features["POS"] == "PROPN":
            return text
        if features.get("Number") == "Sing":
            return text.lower()
        return self._by_rule(text)

    def _look_up(self, text: str) -> str:
        word = text.lower()
        known: list[str] = []
        others: list[str] = []
        for old, new in self._rules:
            form = word[: len(word) - len(old)] + new
            if not word.endswith(old) or not form:
                continue
            if form in self._index:
                known.insert(0, form)
            elif not form.isalpha():
                known.append(form)
            else:
                others.append(form)
        known = list(dict.fromkeys(known))
        for form in self._exceptions.get(word, ()):
            if form not in known:
                known.insert(0, form)
        return (known or others or [text])[0]
