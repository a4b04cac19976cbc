"""Light extraction: prompts that fit, replies held against the text, a second try in halves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ragcli.extract.llm.job import Method, job
from ragcli.extract.llm.light import Asked, extract
from ragcli.models.completion import Completion, Prompt
from ragcli.types import Extraction, Findings

TEXT = "Mara Linde is the captain of the Aurora. The Aurora sails to Port Vale."
GOOD = (
    "E | Mara Linde | person | Captain of the Aurora.\n"
    "E | Aurora | artifact | A golden spaceship from Mars.\n"
    "E | Atlantis | location | A city.\n"
    "R | mara  linde | Aurora | command | Mara Linde is captain of the Aurora. | 8\n"
    "R | Aurora | Port Vale | travel, routes | The Aurora sails to Port Vale. | 10\n"
    "R | Aurora | Atlantis | myth | It sank. | 3\n"
    "R | Aurora | Aurora | self | The Aurora. | 3\n"
    "nonsense\n...\n"
)


def asked(context: int = 4096, gleaning: int = 0) -> Asked:
    return Asked(("person", "artifact"), context, gleaning, lambda text: len(text.split()))


def talk(
    answer: Callable[[Prompt], str | Completion], text: str = TEXT, **more: int
) -> tuple[Findings, list[Prompt]]:
    """Lead the conversation with a model that answers so; findings and all prompts."""
    job = extract(text, "The ferry", asked(**more), True, "x")
    prompts: list[Prompt] = []
    step = next(job)
    while True:
        prompts += step
        given = [answer(p) for p in step]
        try:
            step = job.send([c if isinstance(c, Completion) else done(c) for c in given])
        except StopIteration as end:
            return end.value, prompts


def done(text: str) -> Completion:
    return Completion(text, "stop", 1, 1)


def test_a_reply_is_held_against_the_text() -> None:
    """Made-up names go, made-up descriptions give way to the text's own, all of it counted."""
    found, prompts = talk(lambda _: GOOD)
    assert len(prompts) == 1 and "The ferry" in prompts[0].user
    assert [(e.name, e.type, e.description) for e in found.entities] == [
        ("Mara Linde", "person", "Captain of the Aurora."),
        ("Aurora", "artifact", "Mara Linde is the captain of the Aurora."),
        ("Port Vale", "other", "The Aurora sails to Port Vale."),
    ]
    assert [(r.source, r.target, r.keywords, r.weight) for r in found.relations] == [
        ("mara linde", "Aurora", ("command",), 8),
        ("Aurora", "Port Vale", ("travel", "routes"), 10),
    ]
    assert dict(found.dropped) == {
        "name not in the text": 2,
        "description not in the text": 1,
        "a thing related to itself": 1,
        "not a line of the format": 1,
    }
    assert found.problem == ""


def test_a_relation_needs_words_about_both_ends() -> None:
    """A 1.5B model relates all that it lists to the first name, and describes the other."""
    text = (
        "Text by Gregor Imhof. The Bell Line rang on nineteen occasions. Gisèle Montandon was "
        "the first president of the Winter Association. Anselm Rütimann had an answer. It was the "
        "bells."
    )
    reply = (
        "E | Gregor Imhof | person | The author of the text.\n"
        "R | Gregor Imhof | Bell Line | artifact | The Bell Line rang on nineteen occasions. | 8\n"
        "R | Gregor Imhof | Gisèle Montandon | person | The first president. | 5\n"
        "R | Gisèle Montandon | Winter Association | office | The first president. | 5\n"
        "R | Anselm Rütimann | bells | invention | The answer of Rütimann was the bells. | 7\n...\n"
    )
    found, _ = talk(lambda _: reply, text)
    assert [(r.source, r.target, r.description) for r in found.relations] == [
        (
            "Gisèle Montandon",
            "Winter Association",
            "Gisèle Montandon was the first president of the Winter Association.",
        ),
        ("Anselm Rütimann", "bells", "The answer of Rütimann was the bells."),
    ]
    assert dict(found.dropped)["no sentence names both"] == 2
    assert [e.name for e in found.entities][1:] == [
        "Gisèle Montandon", "Winter Association", "Anselm Rütimann", "bells"
    ]  # fmt: skip


def test_a_cut_reply_keeps_its_whole_lines() -> None:
    """The last line is half a line: a half description would be a wrong one."""
    found, _ = talk(lambda _: Completion(GOOD[:70], "length", 1, 1))
    assert [e.name for e in found.entities] == ["Mara Linde"]
    assert ("reply cut: length", 1) in found.dropped


def test_gleaning_asks_for_what_was_missed() -> None:
    """One more pass names what is there already; what it adds is taken."""
    answers = iter([GOOD, "E | Port Vale | location | Where the Aurora sails to.\n...\n"])
    found, prompts = talk(lambda _: next(answers), gleaning=1)
    assert len(prompts) == 2 and "Mara Linde, Aurora" in prompts[1].user
    assert prompts[0].system == prompts[1].system
    assert ("Port Vale", "location") in [(e.name, e.type) for e in found.entities]


def test_nothing_found_is_tried_in_halves_and_then_told() -> None:
    """Twice nothing: the reason is recorded. Halves overlap in nothing and lose nothing."""
    text = TEXT + " " + "The sea was calm and the crew slept long. " * 12
    found, prompts = talk(lambda _: "...\n", text)
    assert found.problem == "the model listed nothing" and len(prompts) == 3
    halves = " ".join(p.user.partition("ferry\n")[2] for p in prompts[1:])
    assert halves.split() == text.split()
    found, _ = talk(lambda p: GOOD if "Mara" in p.user and "crew" not in p.user else "...\n", TEXT)
    assert found.problem == ""


def test_made_up_names_alone_are_nothing_too() -> None:
    """The halves are asked about when nothing of the first reply stands in the text."""
    text = TEXT + " " + "The sea was calm and the crew slept long. " * 12
    lie = "E | Napoleon | person | An emperor.\n...\n"
    answers = iter([lie, GOOD, lie])
    found, prompts = talk(lambda _: next(answers), text)
    assert len(prompts) == 3 and found.problem == ""
    assert "Mara Linde" in [e.name for e in found.entities]
    assert dict(found.dropped)["name not in the text"] >= 3


def test_long_texts_are_cut_to_fit_the_context() -> None:
    """Every prompt leaves room for its reply."""
    text = TEXT + " " + "The sea was calm and the crew slept long. " * 100
    _, prompts = talk(lambda _: GOOD, text, context=800)
    assert len(prompts) > 1
    for p in prompts:
        assert len(p.system.split()) + len(p.user.split()) + p.max_tokens <= 800
        assert p.max_tokens >= 200


def test_a_wish_is_part_of_the_instructions_and_of_what_names_the_findings() -> None:
    """Without one nothing changes, so that kept findings stay."""

    def method(wish: str) -> Method:
        return Method("light", ("ship",), 10**10, 4096, "x", len, wish)

    plain, wished = asked(), replace(asked(), wish="Look for\n {ships} only. ")
    assert wished.system == plain.system.replace("dots.\n", "dots. Look for {ships} only.\n", 1)
    assert method("").by == method(" ").by == "light.3.1.ship.x"
    assert len({method(wish).by for wish in ("", "Look for ships.", "Look for boats.")}) == 3
    (prompt,) = next(job(method("Look for ships."), TEXT, "", Extraction(())))
    assert "Look for ships." in prompt.system
