"""A question, parsed once: what it names, claims, compares and describes.

Everybody who finds or answers takes an ``AskedQuestion``. The words of the question are looked at
here and in the modules of this package only; what a store knows of it is ``retrieve.question``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ragcli.text.asked_whole import asks_for_whole
from ragcli.text.descriptions import Description, innermost, steps_of
from ragcli.text.identifiers import (
    identifiers_in,
    is_short_option,
    named_in,
    versions_after_names,
    without_identifiers,
)
from ragcli.text.names import names_in, numbers_in
from ragcli.text.scripts import SMALL_WORDS, language_of_question
from ragcli.text.two_things import Known, TwoThings, two_things
from ragcli.text.words import SEARCH_WORDS, content_words, one_line, plain, stem

if TYPE_CHECKING:
    from ragcli.text.asked_words import AskedWords
    from ragcli.text.follow_ups import References

QUESTION_WORDS = frozenset("who whom whose what which when where why how".split())
_QUESTION_WORD = re.compile(rf"\b(?:{'|'.join(sorted(QUESTION_WORDS))})\b", re.IGNORECASE)


@dataclass(frozen=True)
class AskedQuestion:
    """A question, or words to search for, as they were asked.

    ``text`` is for embedders and language models; everybody else takes what was parsed. What is
    not asked for is not computed.
    """

    text: str

    @cached_property
    def plain(self) -> str:
        """The folded words between single spaces."""
        return plain(self.text)

    @cached_property
    def language(self) -> str:
        """The language as a code of two letters; "en" if nothing says otherwise."""
        return language_of_question(self.text)

    @cached_property
    def in_english_words(self) -> bool:
        """Whether a small English word is among its words."""
        return not SMALL_WORDS["en"].isdisjoint(self.text.casefold().split())

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The stems of its content words in order, with repeats."""
        return tuple(content_words(self.text))

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of its content words, as ``answer.windows.stems`` gives those of a text."""
        return frozenset(map(stem, self.words))

    @cached_property
    def terms(self) -> tuple[str, ...]:
        """The content words, not stemmed, and whole identifiers, without numbers inside these.

        >>> AskedQuestion("When was nginx 1.21.0 released?").terms
        ('nginx', 'released', '1.21.0')
        """
        whole = [mark.casefold() for mark in self.identifiers]
        words = content_words(self.text, SEARCH_WORDS)
        inside = self.numbers_in_identifiers
        return tuple(dict.fromkeys([*(w for w in words if w not in inside), *whole]))

    @cached_property
    def identifiers(self) -> tuple[str, ...]:
        """Its versions, options, codes and the like, as they are written."""
        return tuple(identifiers_in(self.text))

    @cached_property
    def named_identifiers(self) -> tuple[str, ...]:
        """Its identifiers that name one thing; "1.5" may be an amount."""
        return tuple(named_in(self.text))

    @cached_property
    def numbers_in_identifiers(self) -> frozenset[str]:
        """The numbers that identifiers consist of, folded."""
        inside = (part for mark in self.identifiers for part in plain(mark.casefold()).split())
        return frozenset(part for part in inside if part.isdigit())

    @cached_property
    def named_versions(self) -> tuple[str, ...]:
        """Its versions with the names before them, as plain words.

        >>> AskedQuestion("What is new in foo version 1.1.0?").named_versions
        (' foo 1 1 0 ',)
        """
        return tuple(versions_after_names(self.text, self.identifiers))

    @cached_property
    def program_words(self) -> frozenset[str]:
        """The words that may name the program whose short option is asked about."""
        if not any(map(is_short_option, self.identifiers)):
            return frozenset()
        return frozenset(content_words(without_identifiers(self.text)))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Its names; the capital of the first word alone makes no name.

        >>> AskedQuestion("Which pump is HX-1042, and does Miss Favre know it?").names
        ('Miss Favre',)
        >>> AskedQuestion("MySQL reports an error, what can I do?").names
        ('MySQL',)
        """
        text = without_identifiers(self.text)
        first = next(iter(text.split()), "")
        if first[1:].lower() == first[1:]:
            text = text[:1].lower() + text[1:]
        return tuple(names_in(text))

    @cached_property
    def has_question_word(self) -> bool:
        """Whether it asks with a word; without one it may be for yes or no."""
        return _QUESTION_WORD.search(self.text) is not None

    @cached_property
    def offers_choice(self) -> bool:
        """Whether it names things to choose from."""
        return " or " in self.plain

    @cached_property
    def about_whole(self) -> bool:
        """Whether it is about the documents as a whole."""
        return asks_for_whole(self.text)

    @cached_property
    def steps(self) -> tuple[str, ...]:
        """What is asked for each thing that it describes by a name, and what is left to ask."""
        return tuple(steps_of(self.text))

    @cached_property
    def description(self) -> Description | None:
        """The innermost thing that it describes by a name."""
        return innermost(one_line(self.text))

    def with_name(self, described: Description, name: str) -> AskedQuestion:
        """What is left to ask once a name stands for one of its descriptions."""
        return AskedQuestion(described.replaced(one_line(self.text), name))

    def two_things(self, known: Known) -> TwoThings | None:
        """The two things that it compares; ``known`` says how well a name is known."""
        return two_things(self.text, known)

    def words_in(self, language: str) -> AskedWords:
        """What it asks about, in another language than English."""
        from ragcli.text.asked_words import asked_words  # English questions do not wait for it

        return asked_words(self.text, language)

    @cached_property
    def references(self) -> References:
        """What it says of what was said before it."""
        from ragcli.text.follow_ups import references_in  # only conversations wait for it

        return references_in(self.text)

    def leans(self, names: Sequence[str]) -> bool:
        """Whether it needs what went before; ``names`` are those of it that a store knows."""
        return self.references.opens or (not names and self.references.leans)

    @cached_property
    def stated_words(self) -> frozenset[str]:
        """The stems of the words of its names and numbers."""
        stated = (*names_in(self.text), *numbers_in(self.text))
        return frozenset(word for name in stated for word in content_words(name))
