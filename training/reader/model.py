"""The reader in PyTorch: a BERT trunk over windows laid end to end, and four linear heads.

Windows are not padded: all tokens of a batch form one (T, d) array and only attention looks at
each window by itself, as ``ragcli.models.trunk`` computes it in NumPy. The word embeddings
are those of the embedding model, frozen; all else is trained.

Shapes: T tokens of a batch, W windows, L tokens of one window, d hidden, h heads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from ragcli.models.weights import open_tensors

LAYERS, HEADS, DIM, INNER, POSITIONS = 6, 12, 384, 1536, 512
EPSILON = 1e-12


class Layer(nn.Module):
    """One BERT layer, parameters named as in the checkpoint it starts from."""

    def __init__(self, dropout: Dropout) -> None:
        super().__init__()
        self.qkv = nn.Linear(DIM, 3 * DIM)
        self.mixed = nn.Linear(DIM, DIM)
        self.mixed_norm = nn.LayerNorm(DIM, EPSILON)
        self.inner = nn.Linear(DIM, INNER)
        self.outer = nn.Linear(INNER, DIM)
        self.outer_norm = nn.LayerNorm(DIM, EPSILON)
        self.dropout = dropout

    def forward(self, hidden: Tensor, lengths: Sequence[int]) -> Tensor:
        """(T, d) -> (T, d); ``lengths`` are the tokens of each window, T together."""
        mixed = attend(self.qkv(hidden), lengths)
        return self.feed(hidden, mixed)

    def feed(self, hidden: Tensor, mixed: Tensor) -> Tensor:
        """What follows attention: two residual blocks."""
        mixed = self.dropout(self.mixed(mixed), self.training)
        hidden = self.mixed_norm(hidden + mixed)
        inner = self.outer(F.gelu(self.inner(hidden)))
        return self.outer_norm(hidden + self.dropout(inner, self.training))


def attend(qkv: Tensor, lengths: Sequence[int]) -> Tensor:
    """Scaled dot-product attention inside each window: (T, 3 d) -> (T, d).

    In float32 on a processor: PyTorch's backward pass is twice as fast there as in bfloat16.
    """
    rows = (qkv.float() if qkv.device.type == "cpu" else qkv).view(-1, 3, HEADS, DIM // HEADS)
    found = []
    with torch.autocast(qkv.device.type, enabled=False):
        for part in rows.split(list(lengths)):
            # each (1, h, L, d / h)
            query, key, value = part.permute(1, 2, 0, 3)[:, None].unbind()
            mixed = F.scaled_dot_product_attention(query, key, value)
            found.append(mixed[0].transpose(0, 1).reshape(-1, DIM))
        return torch.cat(found).to(qkv.dtype)


class Dropout:
    """Dropout from a pool of random masks: drawing a fresh one costs a tenth of the step."""

    def __init__(self, rate: float, size: int = 1 << 23) -> None:
        kept = torch.rand(size, generator=torch.Generator().manual_seed(1)) >= rate
        self.pool = kept.to(torch.bfloat16) / (1 - rate)
        self.generator = torch.Generator().manual_seed(2)

    def __call__(self, rows: Tensor, training: bool) -> Tensor:
        if not training:
            return rows
        if self.pool.device != rows.device:
            self.pool = self.pool.to(rows.device)
        room = len(self.pool) - rows.numel()
        start = int(torch.randint(room, (1,), generator=self.generator))
        return rows * self.pool[start : start + rows.numel()].view_as(rows)


def at_random(module: nn.Module) -> None:
    """Weights as BERT starts with them: Devlin et al. 2019, https://arxiv.org/abs/1810.04805."""
    if isinstance(module, nn.Linear):
        nn.init.normal_(module.weight, std=0.02)
        nn.init.zeros_(module.bias)
    elif isinstance(module, nn.LayerNorm):
        module.reset_parameters()


@dataclass(frozen=True, slots=True)
class Scores:
    """What the heads say: ``span`` (T, 2) start and end logits and ``wrong`` (T,) whether a
    claim's token is what makes it wrong; the rest one row a window."""

    span: Tensor
    answered: Tensor
    yesno: Tensor
    support: Tensor
    wrong: Tensor


class Reader(nn.Module):
    """Trunk and heads; ``words`` is the frozen table and no parameter."""

    words: Tensor

    def __init__(self, embedder: Path, dropout: float = 0.1, fresh: int = 0) -> None:
        """Start from the embedding model in folder ``embedder``; the last ``fresh`` layers start
        at random instead."""
        super().__init__()
        start = open_tensors(embedder / "model.safetensors")
        table = torch.from_numpy(
            np.array(start["embeddings.word_embeddings.weight"], dtype=np.float32)
        )
        self.register_buffer("words", table, persistent=False)
        self.positions = nn.Embedding(POSITIONS, DIM)
        self.types = nn.Embedding(2, DIM)
        self.norm = nn.LayerNorm(DIM, EPSILON)
        drop = Dropout(dropout)
        self.layers = nn.ModuleList(Layer(drop) for _ in range(LAYERS))
        self.span = nn.Linear(DIM, 2)
        self.answered = nn.Linear(DIM, 1)
        self.yesno = nn.Linear(DIM, 3)
        self.support = nn.Linear(DIM, 1)
        self.wrong = nn.Linear(DIM, 1)
        for head in self.heads():
            nn.init.normal_(head.weight, std=0.02)
            nn.init.zeros_(head.bias)
        self.dropout = drop
        self.load_named(start)
        for layer in self.layers[LAYERS - fresh :]:
            layer.apply(at_random)

    def forward(self, ids: Tensor, places: Tensor, types: Tensor, lengths: Sequence[int]) -> Scores:
        """Token ids, positions and types, each (T,), of windows of ``lengths``."""
        hidden = F.embedding(ids, self.words) + self.positions(places) + self.types(types)
        hidden = self.dropout(self.norm(hidden), self.training)
        for layer in self.layers:
            hidden = layer(hidden, lengths)
        first = np.cumsum([0, *lengths[:-1]])
        whole = hidden[torch.from_numpy(first).to(hidden.device)]
        return Scores(
            self.span(hidden).float(),
            self.answered(whole).float()[:, 0],
            self.yesno(whole).float(),
            self.support(whole).float()[:, 0],
            self.wrong(hidden).float()[:, 0],
        )

    def heads(self) -> tuple[nn.Linear, ...]:
        """The linear layers over the trunk."""
        return self.span, self.answered, self.yesno, self.support, self.wrong

    def named(self) -> dict[str, Tensor]:
        """Every tensor that is shipped, by its name in the file (views, not copies)."""
        found: dict[str, Tensor] = {
            "embeddings.position_embeddings.weight": self.positions.weight,
            "embeddings.token_type_embeddings.weight": self.types.weight,
        }

        def both(name: str, module: nn.Linear | nn.LayerNorm) -> None:
            found[f"{name}.weight"], found[f"{name}.bias"] = module.weight, module.bias

        both("embeddings.LayerNorm", self.norm)
        for at, layer in enumerate(self.layers):
            name = f"encoder.layer.{at}"
            for row, part in enumerate(("query", "key", "value")):
                rows = slice(row * DIM, (row + 1) * DIM)
                found[f"{name}.attention.self.{part}.weight"] = layer.qkv.weight[rows]
                found[f"{name}.attention.self.{part}.bias"] = layer.qkv.bias[rows]
            both(f"{name}.attention.output.dense", layer.mixed)
            both(f"{name}.attention.output.LayerNorm", layer.mixed_norm)
            both(f"{name}.intermediate.dense", layer.inner)
            both(f"{name}.output.dense", layer.outer)
            both(f"{name}.output.LayerNorm", layer.outer_norm)
        for head in ("span", "answered", "yesno", "support", "wrong"):
            both(f"heads.{head}", getattr(self, head))
        return found

    @torch.no_grad()
    def load_named(self, tensors: dict[str, np.ndarray]) -> None:
        """Take over the tensors of a checkpoint; those it lacks stay as they are."""
        for name, target in self.named().items():
            if name in tensors:
                target.copy_(torch.from_numpy(np.array(tensors[name], dtype=np.float32)))
