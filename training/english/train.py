"""Runs spaCy's own trainer on one of the configs in this folder."""

from pathlib import Path

from spacy.cli.train import train

_HERE = Path(__file__).parent


def train_part(part: str, build: Path, *, steps: int, name: str | None = None) -> Path:
    """Train ``part`` ("tagging" or "names") and return the folder of its best model.

    ``name`` is the folder's name in ``build`` where it differs from the part's.
    """
    output = build / (name or part)
    train(
        _HERE / f"{part}.cfg",
        output,
        overrides={
            "paths.train": str(build / f"{part}_train.spacy"),
            "paths.dev": str(build / f"{part}_dev.spacy"),
            "paths.vectors": str(build / "vectors"),
            "training.max_steps": steps,
        },
    )
    return output / "model-best"
