"""A folder that one has only unpacked names no program and no model that is used."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from conftest import Run

from ragcli.config import FILE, Settings, load
from ragcli.trust import distrust, is_trusted, trust

NAMED = {
    "embedder": '"model"',
    "spacy": '"pipeline"',
    "languages": '{de = "pipeline"}',
    "llm": '"model.gguf"',
    "ocr": '"sh -c evil"',
}


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """Variables that keep what is trusted in the test's own folder."""
    return {"XDG_DATA_HOME": str(tmp_path / "data"), "LOCALAPPDATA": str(tmp_path / "data")}


@pytest.mark.parametrize("name", NAMED)
def test_what_a_folder_names_is_ignored_until_it_is_trusted(
    name: str,
    tmp_path: Path,
    environ: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It is said, with the line; the other settings of the file count; a change ends the trust."""
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
    file = tmp_path / FILE
    file.write_text(f"top_k = 3\n{name} = {NAMED[name]}\n")
    assert load({}, environ, tmp_path).settings == Settings(top_k=3)
    (said,) = [record.getMessage() for record in caplog.records]
    assert said.startswith(f"{file}, line 2: {name} is ignored") and "config trust" in said

    trust(file, file.read_text(), environ)
    assert getattr(load({}, environ, tmp_path).settings, name)
    assert getattr(load({}, environ, tmp_path).settings, name) != getattr(Settings(), name)
    file.write_text(file.read_text() + "\n")
    assert load({}, environ, tmp_path).settings == Settings(top_k=3)


@pytest.mark.parametrize("value", ["auto", "none"])
def test_what_is_installed_may_be_chosen(value: str, tmp_path: Path) -> None:
    """These values name nothing."""
    (tmp_path / FILE).write_text(f'llm = "{value}"\nspacy = "default"\nocr = "{value}"\n')
    assert load({}, {}, tmp_path).settings == Settings(llm=value, ocr=value)


def test_trust_is_for_a_place_and_a_content(tmp_path: Path, environ: dict[str, str]) -> None:
    """Not for a copy, not for another text, and no longer once it is taken back."""
    file, copy = tmp_path / "a" / FILE, tmp_path / "b" / FILE
    trust(file, "x", environ)
    assert is_trusted(file, "x", environ)
    assert not is_trusted(copy, "x", environ) and not is_trusted(file, "y", environ)
    distrust(file, "x", environ)
    assert not is_trusted(file, "x", environ)


def test_the_home_folder_and_variables_may_name_everything(
    tmp_path: Path, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are the user's own; but not a file at home that others can write."""
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    file = tmp_path / FILE
    file.write_text('ocr = "tesseract - -"\n')
    assert load({}, environ, tmp_path / "project").settings.ocr == "tesseract - -"
    given = load({}, {**environ, "RAGCLI_OCR": "other"}, tmp_path)
    assert given.settings.ocr == "other"
    if os.name != "nt":
        file.chmod(0o666)
        assert load({}, environ, tmp_path).settings.ocr == "auto"


def test_the_command_line(tmp_path: Path, called: Run) -> None:
    """What is ignored is said, trust is given and taken back, and nothing that is named has run."""
    project, proof = tmp_path / "project", tmp_path / "proof"
    project.mkdir()
    (project / FILE).write_text(f'ocr = "touch {proof}"\nllm = "evil.gguf"\n')
    env = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data")}

    def setting(name: str) -> object:
        shown = called("config", "show", "--json", cwd=project, env=env)
        value = json.loads(shown.stdout)[name]["value"]
        assert ("ocr is ignored" in shown.stderr) == (value == "auto")
        return value

    assert setting("ocr") == "auto"
    trusted = called("config", "trust", cwd=project, env=env)
    assert f"touch {proof}" in trusted.stdout and trusted.returncode == 0
    assert setting("ocr") == f"touch {proof}"
    assert called("config", "trust", "--revoke", cwd=project, env=env).returncode == 0
    assert setting("ocr") == "auto"
    assert not proof.exists()
    nowhere = called("config", "trust", cwd=tmp_path, env=env)
    assert nowhere.returncode == 2 and FILE in nowhere.stderr
