"""What a run goes on from after it was stopped, and whether a folder holds that very run."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from training.reader.model import Reader

CHECKPOINT, DONE = "checkpoint.pt", "run.json"
FREE = ("minutes", "save_minutes")
"""Settings that may change when a run goes on: they only say when it stops and what it keeps."""


class OtherRunError(Exception):
    """A folder holds a checkpoint of a run with other settings, data or weights to begin with."""


@dataclass(slots=True)
class Run:
    """Everything that a step changes. ``of`` says which run it is (see ``identity``)."""

    model: Reader
    optimizer: torch.optim.Optimizer
    average: dict[str, torch.Tensor]
    of: dict[str, Any]
    group: int = 0
    tokens: int = 0
    step: int = 0
    seconds: float = 0.0

    def save(self, folder: Path) -> None:
        """Write the checkpoint; a kill leaves the last one or this one, whole."""
        new = folder / "checkpoint.new"
        torch.save(
            {
                "of": self.of,
                "model": self.model.state_dict(),
                "optimizer": self.optimizer.state_dict(),
                "average": self.average,
                "dropout": self.model.dropout.generator.get_state(),
                "state": self.state,
            },
            new,
        )
        new.replace(folder / CHECKPOINT)

    def resume(self, folder: Path, device: str) -> None:
        """Take over the checkpoint, if there is one; raises ``OtherRunError``."""
        path = folder / CHECKPOINT
        if not path.is_file():
            return
        saved = torch.load(path, map_location=device)
        same(saved.get("of"), self.of, path)
        self.model.load_state_dict(saved["model"])
        self.optimizer.load_state_dict(saved["optimizer"])
        self.model.dropout.generator.set_state(saved["dropout"].cpu())
        self.average = saved["average"]
        for name, value in saved["state"].items():
            setattr(self, name, value)

    @property
    def state(self) -> dict[str, float]:
        """Where the run is: group of the plan, tokens, step, seconds."""
        return {name: getattr(self, name) for name in ("group", "tokens", "step", "seconds")}

    def end(self, folder: Path) -> None:
        """Note that the run is over: it is not done again."""
        new = folder / "run.new"
        new.write_text(json.dumps(self.state | {"of": self.of}) + "\n", encoding="utf-8")
        new.replace(folder / DONE)


def identity(settings: Any, examples: int, start: Path | None) -> dict[str, Any]:
    """What makes two runs the same: settings, number of examples, weights to begin with."""
    chosen = {name: value for name, value in asdict(settings).items() if name not in FREE}
    begun = zlib.crc32(start.read_bytes()) if start else 0
    return {"settings": chosen, "examples": examples, "start": begun}


def ended(folder: Path, of: Mapping[str, Any]) -> bool:
    """Whether this run is over; raises ``OtherRunError`` where another one is."""
    path = folder / DONE
    if not path.is_file():
        return False
    same(json.loads(path.read_bytes()).get("of"), of, path)
    return True


def same(found: Any, wanted: Mapping[str, Any], path: Path) -> None:
    """Raise ``OtherRunError`` where a file is of another run."""
    if found != wanted:
        raise OtherRunError(
            f"{path} is of another run (settings, data or first weights differ): remove "
            f"{path.parent} to train anew, or name another folder with --build"
        )


def forget(folder: Path) -> None:
    """Remove what this run would go on from, when all that follows is done; weights stay."""
    for name in (CHECKPOINT, DONE):
        (folder / name).unlink(missing_ok=True)
