"""Chat templates of the common families of models, each in a tiny model that llama.cpp loads."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ragcli.models.llm import Llm, llama_installed

from .family_heads import FAMILIES, Family, make_family

pytestmark = pytest.mark.skipif(not llama_installed(), reason="extra llm is not installed")


@pytest.fixture(scope="module", params=FAMILIES)
def made(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Family, Llm]]:
    """A family and a model of it."""
    family = FAMILIES[request.param]
    model = Llm(make_family(tmp_path_factory.mktemp("family") / "x.gguf", family), threads=1)
    yield family, model
    model.close()


def tokens_of(model: Llm, system: str, user: str) -> list[int]:
    """What the model is given."""
    return model._template.head(system) + model._template.tail(user)


def text_of(model: Llm, tokens: list[int]) -> str:
    """Tokens as text, marks as they are written."""
    inner = model._model
    return b"".join(inner.piece(t) or inner.mark(t).encode() for t in tokens).decode()


def test_the_prompt_is_what_the_family_expects(made: tuple[Family, Llm]) -> None:
    """To the character, but for the blank that some vocabularies put before every text."""
    family, model = made
    found = text_of(model, tokens_of(model, "SYSTEM", "USER"))
    if family.blank:
        found = found.replace(" ", "")
    assert found == (family.prompt.replace(" ", "") if family.blank else family.prompt)


def test_texts_get_the_tokens_that_they_have_in_the_whole_prompt(made: tuple[Family, Llm]) -> None:
    """A blank before them only where the vocabulary puts one: after a mark."""
    family, model = made
    begun = family.marks[0] and family.prompt.startswith(family.marks[0])
    whole = model._model.tokenize(family.prompt, marks=True, begin=not begun)
    assert tokens_of(model, "SYSTEM", "USER") == whole


def test_marks_are_tokens_in_the_template_and_text_in_texts(made: tuple[Family, Llm]) -> None:
    """A document that spells every mark adds none."""
    family, model = made
    marks = {model._model.tokenize(mark, marks=True)[-1] for mark in family.marks}
    assert len(marks) == len(family.marks)

    def marked(system: str, user: str) -> list[int]:
        return [token for token in tokens_of(model, system, user) if token in marks]

    plain = marked("SYSTEM", "USER")
    assert len(plain) == sum(family.prompt.count(mark) for mark in family.marks)
    spelled = " ".join(family.marks)
    assert marked(spelled, spelled) == plain


def test_it_replies(made: tuple[Family, Llm]) -> None:
    """Noise, but through every step."""
    _, model = made
    assert len(list(model.complete([]))) == 0
    assert isinstance("".join(model.generate("SYSTEM", "USER", 4)), str)
    assert model.count_tokens("USER") >= 4
