"""A conversation: questions one after another in one open store, follow-ups made whole.

    "Who keeps the Ysolde hut?"  "And when was it built?"
 -> "And when was it built? (Ysolde hut)"

This works without a language model, and says what it did: a question that leans on what went before
(it has a pronoun and names nothing, or opens with "and", "what about") gets names added: those of
the last question, or, when that had none, those that its answer quotes, or the short answer itself.
Where the short answer may be meant, the question is asked both ways (``answer.follow_up``). A model
that is big enough, or that the user wants asked, may write the question anew; where what it writes
cannot be trusted the rule stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from ragcli.answer.follow_up import TURNS, Turn, prompt, referents, standalone
from ragcli.asking.ask import answerer, ask_stores, ignore, reads
from ragcli.asking.several import NamedIndex
from ragcli.config import Settings
from ragcli.errors import ConfigError, ModelError
from ragcli.models import BIG_MODEL_PARAMETERS
from ragcli.models.completion import Completer
from ragcli.models.locate import llm_file
from ragcli.models.open_llm import open_llm
from ragcli.retrieve import Helpers
from ragcli.retrieve.question import find_entities
from ragcli.text.asked_question import AskedQuestion
from ragcli.text.asked_whole import asked_as_whole
from ragcli.types import Answer

MAX_NAMES = 3

_ARTICLE = re.compile(r"^(?:the|an?)\s+", re.IGNORECASE)
_POSSESSIVE = re.compile(r"['’]s$")
_POINTS = re.compile(
    r"\b(?:it|this|that)\b(?! (?:folder|collection|corpus|archive)\b)", re.IGNORECASE
)
"""Points at the document that the last answer quotes, where a whole is asked about."""

# Words that begin sentences of other languages in capitals, and that the store may have as names.
_FOREIGN = frozenset(
    "das der die ein eine wann warum was welche welcher wer wie wo el la las los qué quién il lo"
    " gli le les un une qui quand het een wat wie".split()
)


def rewriter(settings: Settings) -> Completer | None:
    """The model that makes follow-ups whole, None where the rule does.

    ``auto`` is the one that answers, if it is big. Raises ConfigError, ModelError.
    """
    if settings.follow_ups not in ("auto", "rule", "llm"):
        raise ConfigError(
            f"unknown way to make follow-ups whole {settings.follow_ups!r}",
            "choose one of: auto, rule, llm",
        )
    if settings.follow_ups == "llm":
        file = llm_file(settings.llm)
        if file is None:
            raise ModelError(
                "no language model to make follow-ups whole",
                'name a GGUF file with --llm, or run: pip install "ragcli[smollm2]"',
            )
        return open_llm(file, settings)
    _, llm = answerer(settings) if settings.follow_ups == "auto" else ("", None)
    return llm if llm and llm.parameters >= BIG_MODEL_PARAMETERS else None


@dataclass(frozen=True, slots=True)
class Options:
    """What a follow-up may ask, the likeliest first; see ``Referents`` for ``open``."""

    questions: tuple[AskedQuestion, ...]
    open: bool = False


class Talk:
    """Keeps what the last turns named and said."""

    def __init__(self, stores: Sequence[NamedIndex], settings: Settings, helpers: Helpers) -> None:
        """``stores``: at least one; all have the same embedder."""
        self.stores = stores
        self.settings = settings
        """What the next turns search, and how."""
        self._helpers = helpers
        self._names: list[str] = []
        self._turns: list[Turn] = []
        self._doc = ""
        self._model = rewriter(settings)
        for store in stores:
            store.index.hold()

    def whole(self, asked: AskedQuestion) -> AskedQuestion:
        """The question as it is asked: itself, or with what it leans on."""
        own = self._said(asked.text)
        return self._rewritten(asked, own) or self._by_rule(asked, own)

    def _rewritten(self, asked: AskedQuestion, own: Sequence[str]) -> AskedQuestion | None:
        """The question as the model writes it; None without a model, or where it is not trusted."""
        if not (self._model and self._turns and (asked.leans(own) or not own)):
            return None
        ((_, reply),) = self._model.complete([prompt(self._turns, asked)])
        return standalone(reply.text, self._turns, asked)

    def _by_rule(self, asked: AskedQuestion, own: Sequence[str]) -> AskedQuestion:
        return _with_names(asked, self._names) if asked.leans(own) else asked

    def ask(self, asked: AskedQuestion, on_text: Callable[[str], None] = ignore) -> Answer:
        """Answer a turn, and remember what it was about. ``on_text`` as in ``asking.ask``."""
        options = self._options(asked)
        question, answer = options.questions[0], None
        how, llm = answerer(self.settings)
        if len(options.questions) > 1 and reads(self.settings, how):
            question, answer = self._surest(options)
        if answer is None or llm:
            answer = ask_stores(
                self.stores, question, self.settings, self._helpers, on_text=on_text
            ).answer
        short = answer.reply.short
        said = short.text if short and short.kind == "words" else ""
        quotes = [citation.quote for citation in answer.reply.citations]
        self._doc = answer.reply.citations[0].doc if quotes else self._doc
        self.remember(question, answer.reply.text, quotes, said)
        return answer

    def _options(self, asked: AskedQuestion) -> Options:
        """The questions that one may mean; one, unless the last answer may be meant."""
        if self._doc and asked_as_whole(asked.text) == "" and _POINTS.search(asked.text):
            return Options((AskedQuestion(f"{asked.text} ({self._doc})"),))
        own = self._said(asked.text)
        if found := self._rewritten(asked, own):
            return Options((found,))
        if not self._turns or not asked.leans(own):
            return Options((self._by_rule(asked, own),))
        meant = referents(self._turns[-1], self._names[:MAX_NAMES], asked)
        whole = tuple(dict.fromkeys(_with_names(asked, names) for names in meant.names))
        return Options(whole or (asked,), meant.open)

    def _surest(self, options: Options) -> tuple[AskedQuestion, Answer]:
        """The question that is meant, by its short answer, and what is quoted for it."""
        quoting = replace(self.settings, answer="extractive")
        tried = []
        for question in options.questions:
            answer = ask_stores(self.stores, question, quoting, self._helpers).answer
            sure = answer.reply.short.confidence if answer.reply.short else 0.0
            tried.append((sure, question, answer))
            if sure and not options.open:
                break
        _, question, answer = max(tried, key=lambda one: one[0])
        return question, answer

    def remember(
        self, asked: AskedQuestion, answer: str, quotes: Iterable[str], short: str = ""
    ) -> None:
        """Remember a turn, so that the next one may lean on it."""
        self._turns = [*self._turns, Turn(asked, answer, short)][-TURNS:]
        quoted = " ".join([*quotes][:1])
        self._names = self._said(asked.text) or self._said(quoted)[:MAX_NAMES] or self._names

    def _said(self, text: str) -> list[str]:
        """The names in a text that a store knows, as the text spells them."""
        found = chain.from_iterable(
            find_entities(store.index.snapshot.entities, text) for store in self.stores
        )
        said = (_bare(text[m.start : m.end]) for m in found if m.named)
        # "A second paragraph" begins with a name that is none without its article.
        names = [name for name in dict.fromkeys(said) if not name.islower()]
        return [name for name in names if name.casefold() not in _FOREIGN]


def _bare(name: str) -> str:
    """A name without its article and its possessive, and of two cells of a table the first.

    >>> _bare("the Ysolde Hut's"), _bare("Ewan Strachan | Plough")
    ('Ysolde Hut', 'Ewan Strachan')
    """
    return _POSSESSIVE.sub("", _ARTICLE.sub("", name.split("|")[0].strip()))


def _with_names(asked: AskedQuestion, names: Sequence[str]) -> AskedQuestion:
    """A question with the names that it leans on, but for those that it has."""
    missing = [name for name in names if name.casefold() not in asked.text.casefold()]
    if not missing:
        return asked
    return AskedQuestion(f"{asked.text} ({', '.join(missing[:MAX_NAMES])})")
