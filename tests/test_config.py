"""Settings from all layers, and errors that say where a wrong one stands and what is allowed."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragcli.config import MODES, Settings, changed, load
from ragcli.errors import ConfigError


def test_the_last_layer_wins(tmp_path: Path) -> None:
    """Defaults, file, variables, flags; a flag of None was not given."""
    (tmp_path / "ragcli.toml").write_text('top_k = 3\nbudget = 4\nmode = "bm25"\n')
    (tmp_path / "sub").mkdir()
    environ = {"RAGCLI_BUDGET": "5", "RAGCLI_MODE": "naive", "RAGCLI_WORKERS": ""}
    found = load({"mode": "e2", "answer": None}, environ, tmp_path / "sub")
    assert found.settings == Settings(top_k=3, budget=5, mode="e2")
    assert found.origin["top_k"] == str(tmp_path / "ragcli.toml")
    assert (found.origin["budget"], found.origin["mode"]) == ("RAGCLI_BUDGET", "flag")
    assert found.origin["answer"] == "default"


def test_types_of_entities_are_a_text_or_a_list(tmp_path: Path) -> None:
    """Both mean the same."""
    found = list[str]()
    for value in ('"ship, captain"', '["ship", "captain"]'):
        (tmp_path / "ragcli.toml").write_text(f"entity_types = {value}\n")
        found.append(load({}, {}, tmp_path).settings.entity_types)
    assert found == ["ship, captain"] * 2


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ('a = 1\n\ntop_k = "x"', "line 1: a is not a setting", "known: answer, budget"),
        ('\n top_k = "abc"', "line 2: top_k cannot be 'abc'", "a whole number from 1 to 1,000,000"),
        ("top_k = 0", "line 1: top_k cannot be 0", "from 1"),
        ("workers = -1", "line 1: workers cannot be -1", "from 0"),
        ("budget = 99999999999999999999", "budget cannot be", "to 1,000,000"),
        ("budget = 1.5", "budget cannot be 1.5", "a whole number"),
        ("budget = true", "budget cannot be True", "a whole number"),
        ('mode = "best"', "mode cannot be 'best'", ", ".join(MODES)),
        ('answer = "x"', "answer cannot be 'x'", "auto, extractive, llm, none"),
        ('index_mode = "x"', "index_mode cannot be 'x'", "fast, light"),
        ('"llm_kv_type" = "q4"', "line 1: llm_kv_type cannot be 'q4'", "f16, q8_0"),
        ("llm = [1]", "llm cannot be [1]", "text, in quotes"),
        ('entity_types = ["ship", 3]', "entity_types cannot be ['ship', 3]", '["person", "place"]'),
        ("entity_types = []", "entity_types cannot be []", '["person", "place"]'),
        ("topk = 3", "topk is not a setting", "did you mean top_k?"),
        ("[ask]\ntop_k = 3", "line 1: ask is not a setting", "known:"),
        ("top_k = \n", "cannot be read: Invalid value (at line 1", "write lines like: top_k = 20"),
    ],
)
def test_what_is_wrong_in_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, message: str, hint: str
) -> None:
    """The file, the line, the setting, and what it may be."""
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    (tmp_path / "ragcli.toml").write_text(text)
    with pytest.raises(ConfigError) as caught:
        load({}, {}, tmp_path)
    assert caught.value.message.startswith(str(tmp_path / "ragcli.toml"))
    assert message in caught.value.message and hint in caught.value.hint


@pytest.mark.parametrize(
    ("text", "flags", "message", "hint"),
    [
        (
            "chunk_size = 100\nchunk_overlap = 60",
            {},
            "line 2: chunk_overlap cannot be 60",
            "0 to 50",
        ),
        ("chunk_overlap = 60\nchunk_size = 100", {}, "line 2: chunk_size cannot be 100", "0 to 50"),
        ("\npassage_size = 60", {}, "line 2: passage_size cannot be 60", "0 to 30"),
        ("chunk_overlap = 60", {"chunk_size": 100}, "--chunk-size cannot be 100 when", "0 to 50"),
    ],
)
def test_an_overlap_fits_its_size(
    tmp_path: Path, text: str, flags: dict[str, int], message: str, hint: str
) -> None:
    """Sizes that do not go together are told when the settings are read, with their place."""
    (tmp_path / "ragcli.toml").write_text(text)
    with pytest.raises(ConfigError) as caught:
        load(flags, {}, tmp_path)
    assert message in caught.value.message and hint in caught.value.hint


def test_changed_settings_are_checked_together() -> None:
    """A value given in Python is named as it is; what was there before counts as well."""
    with pytest.raises(ConfigError, match=r"^chunk_size cannot be 100 when chunk_overlap is 100"):
        changed(Settings(), chunk_size=100)
    assert changed(Settings(), chunk_size=100, chunk_overlap=50).chunk_size == 100


def test_half_of_a_size_is_an_overlap(tmp_path: Path) -> None:
    """The largest that is allowed."""
    (tmp_path / "ragcli.toml").write_text("chunk_size = 101\nchunk_overlap = 50")
    assert load({}, {}, tmp_path).settings.chunk_overlap == 50


def test_what_is_wrong_elsewhere(tmp_path: Path) -> None:
    """Variables and flags are named as they are written."""
    with pytest.raises(ConfigError, match=r"^RAGCLI_TOP_K cannot be 'many'"):
        load({}, {"RAGCLI_TOP_K": "many"}, tmp_path)
    with pytest.raises(ConfigError, match=r"^--mode cannot be 'best'") as caught:
        load({"mode": "best"}, {}, tmp_path)
    assert "walk" in caught.value.hint


def test_a_misspelt_variable_is_an_error(tmp_path: Path) -> None:
    """It names the variable that was meant."""
    with pytest.raises(ConfigError, match="RAGCLI_TOPK is not a setting") as caught:
        load({}, {"RAGCLI_TOPK": "3"}, tmp_path)
    assert caught.value.hint == "did you mean RAGCLI_TOP_K?"


def test_a_variable_of_another_program_is_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A name that is like no setting may mean something to somebody else; our own are silent."""
    environ = {"RAGCLI_DEPLOYED_BY": "x", "RAGCLI_MODELS": "m", "RAGCLI_DATA": "d", "OTHER": "y"}
    environ["RAGCLI_HTTP_TOKEN"] = "t"
    assert load({}, environ, tmp_path).settings == Settings()
    assert [r.getMessage() for r in caplog.records] == [
        "the variable RAGCLI_DEPLOYED_BY is not a setting and has no effect"
    ]


def test_changed_checks_every_value() -> None:
    """Those that are given now and those that were there before; None leaves a value alone."""
    assert changed(Settings(top_k=3), top_k=None, mode="e2") == Settings(top_k=3, mode="e2")
    for settings, values, message in (
        (Settings(), {"top_k": 0}, "top_k cannot be 0"),
        (Settings(mode="best"), {}, "mode cannot be 'best'"),
        (Settings(), {"topk": 1}, "topk is not a setting"),
    ):
        with pytest.raises(ConfigError, match=message):
            changed(settings, **values)
