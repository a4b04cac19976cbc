"""Defaults of settings, as documentation tells them."""

from __future__ import annotations

import pytest

from ragcli.answer.lookup.defaults import default_answer
from ragcli.answer.view import look
from ragcli.types import Context, Part

from ..makers import encode

TEXT = """# Settings

## max_size

How large it gets. The default value is 5G. The suffix of sizes defaults to k.

## retry_delay

+ Default: `100` (ms)

## log_dest

Where to log, by default nowhere.

The option --wick-length is 3 cm by default; the default of --wick-width is 0.5 cm, in summer.
"""


def answered(question: str) -> str | None:
    """What stands at the place of the answer."""
    titles = ("Settings", "max_size", "retry_delay", "log_dest")
    paths = tuple(
        (TEXT.index(f"# {t}\n"), f"Settings > {t}" if t != "Settings" else t) for t in titles
    )
    part = Part(1, "d.md", "Settings", 0, len(TEXT), 1, 20, TEXT, headings=paths)
    found = default_answer(
        question, [part], look(question, Context((part,), 0), encode=encode, entities=(), pool=24)
    )
    return found.places[0].text if found else None


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the default of max_size?", "5G"),
        ("What's the default value for retry_delay?", "100"),
        ("What does max_size default to?", "5G"),
        ("What is the default max_size?", "5G"),
        ("What is the default of --wick-width?", "0.5 cm"),
    ],
)
def test_defaults(question: str, answer: str) -> None:
    """The value below the setting's name, or in one sentence with it, without quotes."""
    assert answered(question) == answer


@pytest.mark.parametrize(
    "question",
    [
        "What is the default of log_dest?",  # told in no such words
        "What is the default of min_size?",
        "What is the largest max_size?",
        "What is the default of the delay?",
    ],
)
def test_no_default(question: str) -> None:
    """Other questions, and settings whose default is not told, are left to the reader."""
    assert answered(question) is None


LISTED = """# Settings

* **pipelining** `number` (optional) - Default: `1` - How many at once. The most is 9.
* **cache-ttl** `number` - Default `60` - Lower bound of all.
* **statusCodes** `number[]` - What is tried again. Default: `[429, 500, 503]`
* **waitLimit** `number` - The pause in msec before another try. Default is 376 msec.

## -i N, --interval=N

The minimum allowed value is ten and the maximum is the largest. The default is 1800 seconds.

## MaxFileSize Directive

| Syntax: | MaxFileSize bytes |
| Default: | MaxFileSize 64000 |
"""


def listed(question: str) -> str | None:
    """What stands at the place of the answer in a list of parameters."""
    titles = ("Settings", "-i N, --interval=N", "MaxFileSize Directive")
    paths = tuple((LISTED.index(f"# {t}\n"), t) for t in titles)
    part = Part(1, "d.md", "Settings", 0, len(LISTED), 1, 20, LISTED, headings=paths)
    view = look(question, Context((part,), 0), encode=encode, entities=(), pool=24)
    found = default_answer(question, [part], view)
    return found.places[0].text if found else None


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the default of pipelining?", "1"),
        ("What is the default of the cache-ttl option in lanterns?", "60"),
        ("Which status codes are tried again by default?", "[429, 500, 503]"),
        ("What is the default wait limit?", "376 msec"),
        ("What is the minimum that lantern -i accepts?", "ten"),
        ("What is the default of -i?", "1800 seconds"),
        ("What is the default of MaxFileSize?", "64000"),
        ("What is the default of oil?", None),
        ("How many codes are there?", None),
    ],
)
def test_settings_of_a_list(question: str, answer: str | None) -> None:
    """The name as it is spelled, or in words of its own; bounds are told like defaults."""
    assert listed(question) == answer


def test_the_default_of_a_setting_that_a_question_describes() -> None:
    """Its sentence has no number of its own, so that below the same name counts."""
    asked = "How long is the pause before another try?"
    assert listed(asked) == "376 msec"


LABELS = """7.4.1. listen-address

Specifies:

Where it listens.

Default value:

127.0.0.1:8118

Effect if unset:

Bind to nothing.

7.4.2. buffer-limit

Default value:

4096 kB.

7.4.3. log-folder

Default value:

None
"""


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the default of listen-address?", "127.0.0.1:8118"),
        ("What is the default buffer limit?", "4096 kB"),
        ("What is the default of effect-if?", None),
        ("What is the default of log-folder?", None),
    ],
)
def test_labels_below_a_setting(question: str, answer: str | None) -> None:
    """A label in a line of its own heads the value; the setting stands above the label."""
    paths: list[tuple[int, str]] = []
    above = ""
    for line in LABELS.splitlines():
        if line.startswith("7"):
            above = line
            paths.append((LABELS.index(line), line))
        elif line.endswith(":"):
            at = paths[-1][0]
            paths.append((LABELS.index(line, at + 1), f"{above} > {line}"))
    part = Part(1, "d.html", "", 0, len(LABELS), 1, 30, LABELS, headings=tuple(paths))
    view = look(question, Context((part,), 0), encode=encode, entities=(), pool=24)
    found = default_answer(question, [part], view)
    assert (found.places[0].text if found else None) == answer
