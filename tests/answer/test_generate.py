"""Written answers: streamed, checked, cited, or withheld."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcli.answer.generate import cleaned, finished, written
from ragcli.errors import ModelError
from ragcli.models.llm import Llm, llama_installed
from ragcli.models.locate import llm_file
from ragcli.text.asked_question import AskedQuestion

from .makers import Parrot, context_of, stands

FILM = ("Night Ferry", "Night Ferry is a film of 1986. It was directed by Ada Holm.")
WOMAN = ("Ada Holm", "Ada Holm is a director. She was born in Skive.")
CONTEXT = context_of(WOMAN, FILM)


def test_true_sentences_are_cited_and_numbered_by_first_use() -> None:
    """The model cites passage 2 first: it becomes [1]."""
    model = Parrot("Night Ferry was directed by Ada Holm [2]. Ada Holm was born in Skive. [1]")
    reply = written(AskedQuestion("Where was she born?"), CONTEXT, model)
    assert reply.text == "Night Ferry was directed by Ada Holm. [1] Ada Holm was born in Skive. [2]"
    assert [c.quote for c in reply.citations] == [
        "It was directed by Ada Holm.",
        "She was born in Skive.",
    ]
    assert reply.by == "llm" and reply.note == "" and "[2] Night Ferry" in model.asked[1]


def test_a_sentence_without_support_is_cut() -> None:
    """A made-up year goes, what is true stays, and the note says so."""
    reply = written(
        AskedQuestion("When?"), CONTEXT, Parrot("Night Ferry is a film. It was made in 1987.")
    )
    assert reply.text == "Night Ferry is a film. [1]"
    assert reply.note == (
        "left out 1 sentence that the passages do not support (another number: 1)"
    )
    assert (reply.written, reply.kept) == (2, 1)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (
            "Ada Holm died in 2001.",
            "the model wrote 1 sentence that they do not support (another number: 1)",
        ),
        ("", "the model gave no answer"),
        ("<think>Ada Holm is a director.", "the model gave no answer"),
    ],
)
def test_nothing_left_is_abstaining(said: str, why: str) -> None:
    """The note says what was searched and why it was in vain."""
    reply = written(AskedQuestion("When?"), CONTEXT, Parrot(said))
    assert reply.abstained and reply.text == "" and reply.citations == ()
    assert reply.note == f"searched 2 passages of 2 documents; {why}"


def test_a_model_with_no_room_is_not_asked() -> None:
    """When no passage fits there is nothing to answer from."""
    model = Parrot("Ada Holm is a director.", context=200)
    reply = written(AskedQuestion("Who?"), CONTEXT, model)
    assert reply.abstained and "none of them fits" in reply.note and model.asked == ("", "")


def test_what_is_emitted_is_the_reply() -> None:
    """Streaming shows checked sentences only, each as soon as it is complete."""
    emitted: list[str] = []
    model = Parrot(
        "Ada Holm is a director. Ada Holm is a singer. "
        "Ada Holm is a director.\n- She was born in Skive."
    )
    reply = written(AskedQuestion("Who?"), CONTEXT, model, emit=emitted.append)
    assert emitted == ["Ada Holm is a director. [1]", "\nShe was born in Skive. [2]"]
    # The singer is cut; what is said again is not counted again.
    assert (reply.written, reply.kept) == (3, 2)
    assert "".join(emitted) == reply.text


def test_chat_marks_are_taken_out() -> None:
    """Thoughts, control tokens and the speaker's name are not the answer."""
    assert cleaned("<think>a</think>**Answer:** It rained.</s><|im_end|>") == "It rained."
    assert cleaned("if a < b then") == "if a < b then"


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("The answer is:\n\nSkive", "Skive [1]"),
        ("## Ada Holm\nShe was born in Skive.", "She was born in Skive. [1]"),
        ("1. She was born in Skive.\n2. She was born in Skive.", "She was born in Skive. [1]"),
        ("She was born in Skive. She was a dir", "She was born in Skive. [1]"),
        ("The town is not specified. Ada Holm was born.", ""),
    ],
)
def test_what_small_models_write_around_an_answer_is_left_out(said: str, text: str) -> None:
    """Openings, headings, repeats, half sentences, refusals and echoes: all seen of SmolLM2."""
    reply = written(AskedQuestion("Where was Ada Holm born?"), CONTEXT, Parrot(said))
    assert reply.text == text and reply.note.endswith("gave no answer") == (not text)


@given(st.text(st.sampled_from("abC .?!\n<|>"), max_size=60), st.integers(1, 9))
def test_any_cutting_into_pieces_gives_the_same_text(text: str, step: int) -> None:
    """No character is lost or doubled, however the pieces fall."""
    text += "."
    pieces = [text[at : at + step] for at in range(0, len(text), step)]
    found = "".join(sentence for _, sentence in finished(pieces))
    assert "".join(found.split()) == "".join(cleaned(text).split())


@pytest.mark.slow
@pytest.mark.skipif(
    not llama_installed() or llm_file("auto") is None, reason="no language model is installed"
)
def test_a_real_model_answers_with_exact_quotes() -> None:
    """SmolLM2-135M reads two passages; what it writes is cited to the character or withheld."""
    file = llm_file("auto")
    assert file is not None
    model = Llm(file, context=1024)
    try:
        reply = written(AskedQuestion("Who directed Night Ferry?"), CONTEXT, model, max_tokens=48)
    finally:
        model.close()
    texts = {part.doc: part.text for part in CONTEXT.parts}
    assert reply.abstained == (not reply.citations)
    assert all(stands(citation, texts[citation.doc]) for citation in reply.citations)
    assert "Holm" in reply.text


def test_errors_of_the_model_are_not_hidden() -> None:
    """A prompt that does not fit, or a broken model, is the caller's to know."""

    class Broken(Parrot):
        def generate(self, system: str, user: str, max_tokens: int) -> Iterator[str]:
            raise ModelError("no")

    with pytest.raises(ModelError):
        written(AskedQuestion("Who?"), CONTEXT, Broken(""))
