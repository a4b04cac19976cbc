"""What the reader is given: every place in a window is a place in a document."""

from __future__ import annotations

from ragcli.answer.rendered import Stretch
from ragcli.answer.view import look
from ragcli.answer.windows import PART_CHARS, READ_CHARS, TextToRead, windows
from ragcli.text.asked_question import AskedQuestion
from ragcli.text.sentences import MAX_CHARS
from ragcli.types import Context

from .makers import context_of, encode

SINGER = ("Marta Lind", "Marta Lind is a singer. She made her film debut in The Salt Road.")
FILM = ("The Salt Road", "The Salt Road is a 2015 drama film. Jon Aas directed it in Tarnby.")


def made(question: str, context: Context) -> list[TextToRead]:
    """The windows of a question."""
    view = look(AskedQuestion(question), context, encode=encode, entities=(), pool=24)
    return windows(context.parts, view)


def test_a_passage_that_another_mentions_stands_below_its_sentence() -> None:
    """The sentence comes first, then the title, then the passage."""
    found = made("Who directed the film of Marta Lind?", context_of(SINGER, FILM))
    assert [window.kind for window in found] == ["passage", "led", "digest"]
    led = found[1]
    assert led.title == "Marta Lind"
    assert led.text == f"She made her film debut in The Salt Road. The Salt Road. {FILM[1]}"
    assert led.of.text == FILM[1]


def test_every_stretch_of_a_window_stands_in_its_document_or_nowhere() -> None:
    """A place has the window's characters; a title, or a stretch over two pieces, has none."""
    for window in made("Who directed the film of Marta Lind?", context_of(SINGER, FILM)):
        for start in range(0, len(window.text), 3):
            for end in range(start + 1, min(len(window.text), start + 30)):
                place = window.place(start, end)
                if place is not None:
                    assert place.text == window.text[start:end]
        assert window.place(0, len(window.text) + 1) is None
    film = made("Who directed the film of Marta Lind?", context_of(SINGER, FILM))[1]
    title = film.text.index("The Salt Road. The") + len("The Salt Road. ")
    assert film.place(title - 3, title + 5) is None
    begin = film.text.index(". The Salt Road. ") + 2
    told = film.told(begin, begin + len("The Salt Road"))
    assert told is not None and told.part.title == FILM[0] and told.start == 0
    assert film.place(begin, begin + len("The Salt Road")) is None
    assert film.told(begin, begin + len("The Salt Road. The")) is None


def test_no_more_is_read_than_there_is_room() -> None:
    """Long passages are cut to whole sentences; the last that fit none are left out."""
    filler = " ".join(f"Line {i} is about the weather of that year." for i in range(60))
    many = context_of(*((f"Diary {n}", filler) for n in range(12)))
    read = [window.of for window in made("What was the weather?", many) if window.kind != "digest"]
    assert sum(place.end - place.start for place in read) <= READ_CHARS
    assert 1 < len(read) < 12 and all(place.text.endswith(".") for place in read)


def test_a_passage_of_one_endless_sentence_ends_no_reading() -> None:
    """Its best sentence fits no window; what was found after it is read all the same."""
    endless = "The weather of that year was told by " + "somebody and " * 120
    assert PART_CHARS < len(endless) < MAX_CHARS
    context = context_of(("Diary", f"{endless}\n\nShort."), ("Weather", "It rained that year."))
    read = made("What was the weather of that year?", context)
    assert [window.of.part.n for window in read if window.kind != "digest"] == [2]


def test_a_place_knows_its_words() -> None:
    """Offsets are the document's, also in a part that begins later."""
    part = context_of(SINGER).parts[0]
    assert Stretch(part, 0, 10).text == "Marta Lind"
