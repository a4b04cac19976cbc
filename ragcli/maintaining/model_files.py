"""models: list the installed models, add a language model, check its file and its speed."""

from __future__ import annotations

import shutil
from hashlib import file_digest
from pathlib import Path
from typing import Any

from filelock import FileLock

from ragcli.config import Settings, pipelines_of
from ragcli.errors import InputError, ModelError
from ragcli.models.llm.convert import q8_size, write_q8
from ragcli.models.llm.gguf import Gguf, read_gguf
from ragcli.models.locate import (
    embedder_folder,
    file_fingerprint,
    fingerprint,
    llm_file,
    llm_files,
    models_folder,
    spacy_path,
)
from ragcli.models.open_llm import open_llm
from ragcli.models.reading_scores import ReadingScore, keep_score, kept_score
from ragcli.store.durable import sync

_SUM = ".sha256"


def installed(settings: Settings) -> list[dict[str, Any]]:
    """The embedder, the pipelines, and every language model, according to the settings."""
    rows = []
    for kind, find, setting in (
        ("embedder", embedder_folder, settings.embedder),
        ("pipeline", spacy_path, settings.spacy),
        *(("pipeline", spacy_path, named) for named in pipelines_of(settings.languages).values()),
    ):
        row: dict[str, Any] = {"kind": kind, "name": setting}
        try:
            folder = find(setting)
            size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
            row |= {"bytes": size, "hash": fingerprint(folder), "path": str(folder)}
        except ModelError as error:
            row["problem"] = error.message
        rows.append(row)
    files = llm_files()
    try:
        chosen = llm_file(settings.llm)
    except ModelError as error:  # of all commands, this one must say what there is instead
        chosen = None
        rows.append({"kind": "llm", "name": settings.llm, "problem": error.message})
    for file in [*files, *([chosen] if chosen and chosen not in files else [])]:
        rows.append({**described(file), "chosen": file == chosen})
    return rows


def described(file: Path) -> dict[str, Any]:
    """The metadata of a GGUF file and the result of its reading test, if any; ``problem`` if it
    cannot be read."""
    row: dict[str, Any] = {"kind": "llm", "name": file.stem, "path": str(file)}
    try:
        head = read_gguf(file)
    except ModelError as error:
        return {**row, "problem": error.message}
    row |= {"bytes": file.stat().st_size, "hash": file_fingerprint(file), **_facts(head)}
    score = kept_score(file)
    return row | (_reading(score) if score else {})


def _reading(score: ReadingScore) -> dict[str, Any]:
    """What is shown of a reading test: ``answers`` says whether --answer auto uses the model."""
    return {"reading": f"{score.right}/{score.asked}", "answers": score.passed}


def _facts(head: Gguf) -> dict[str, Any]:
    return {
        "architecture": head.architecture,
        "parameters": head.parameters,
        "quantisation": head.quantisation,
        "context": head.context,
        "license": head.meta.get("general.license", ""),
    }


def add(path: Path, q8: bool = False) -> dict[str, Any]:
    """Copy a GGUF file to the user's models atomically, and return its metadata.

    ``path`` may also be the name of an installed model. ``q8``: convert the weights to 8 bits, as
    NAME-Q8_0. Raises ModelError if the file is not a valid GGUF file or cannot be converted,
    InputError if another model has that name or the disk is too small.
    """
    source = path if path.exists() else llm_file(str(path)) or path
    read_gguf(source)
    folder = models_folder()
    folder.mkdir(parents=True, exist_ok=True)
    name = f"{source.name.removesuffix('.gguf')}{'-Q8_0' * q8}.gguf"
    target = folder / name
    partial = target.with_name(f".{target.name}.part")
    with FileLock(folder / ".lock"):
        _write(source, partial, target, q8)
    return described(target)


def _write(source: Path, partial: Path, target: Path, q8: bool) -> None:
    """Write ``target`` and return its checksum; ``partial`` of a killed run is overwritten."""
    try:
        if q8:
            _convert(source, partial)
            wanted = _sha256(partial)
        else:
            shutil.copyfile(source, partial)
            wanted = _sha256(source)
            if _sha256(partial) != wanted:
                raise ModelError(
                    f"the copy of {source} is damaged", "check the disks, and add it again"
                )
        if target.exists() and _sha256(target) != wanted:
            raise InputError(f"another model is at {target}", "delete it, or rename the new one")
        sync(partial)
        partial.replace(target)
        sync(target.parent)
    finally:
        partial.unlink(missing_ok=True)
    target.with_name(target.name + _SUM).write_text(f"{wanted}\n", encoding="ascii")


def _convert(source: Path, partial: Path) -> None:
    """Convert ``source`` to 8 bits if the disk has enough space."""
    needed, free = q8_size(source), shutil.disk_usage(partial.parent).free
    if needed > free:
        raise InputError(
            f"{source.name} in 8 bits needs {needed / 1e6:,.0f} MB, {free / 1e6:,.0f} MB are free",
            "free some space, or add it without --q8",
        )
    write_q8(source, partial)


def check(settings: Settings, name: str = "") -> dict[str, Any]:
    """The metadata of a language model, whether its file has changed, its speed, and how it reads.

    ``damaged`` is False for a file without a recorded hash. Raises ModelError if the model is
    missing or cannot be used.
    """
    file = llm_file(name or settings.llm)
    if file is None:
        raise ModelError(
            "no language model to check", 'name one, or run: pip install "ragcli[smollm2]"'
        )
    read_gguf(file)
    kept = file.with_name(file.name + _SUM)
    found = {**described(file), "damaged": False}
    if kept.is_file() and kept.read_text(encoding="ascii").strip() != _sha256(file):
        return {**found, "damaged": True}
    from ragcli.models.llm.speed import speed

    measured = speed(file, settings.llm_threads, settings.llm_gpu_layers)
    found |= {f"{key}_tokens_per_s": round(v, 1) for key, v in measured.items()}
    score = test_reading(file, settings)
    return found | _reading(score) | {"missed": list(score.missed)}


def test_reading(file: Path, settings: Settings) -> ReadingScore:
    """Give a language model the reading test and keep the result; about 3,000 tokens.

    Raises ModelError if the model cannot be used.
    """
    from ragcli.answer.reading_test import reading_test

    score = reading_test(open_llm(file, settings))
    keep_score(file, score)
    return score


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()
