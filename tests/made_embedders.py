"""Small multilingual embedding models with random weights, in folders as real ones have them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save_file
from tokenizers import Tokenizer, normalizers, pre_tokenizers, processors, trainers
from tokenizers.models import Unigram

CORPORA = Path(__file__).parent / "data" / "languages"
LAYERS, HEADS, DIM, INNER, POSITIONS = 2, 4, 32, 64, 130
BEFORE = {"query": "query: ", "passage": "passage: "}


def make_model(
    folder: Path,
    *,
    architecture: str = "XLMRobertaModel",
    pooling: str = "mean",
    prompts: dict[str, str] | None = None,
    vocabulary: int = 1200,
    seed: int = 0,
) -> Path:
    """Write a model of BERT's or XLM-R's type with a unigram tokenizer; return its folder.

    The tokenizer is trained on the corpora of the tests. A larger ``vocabulary`` is filled up with
    made-up tokens that no text has.
    """
    folder.mkdir(parents=True)
    tokenizer = unigram()
    size = max(vocabulary, tokenizer.get_vocab_size())
    _fill(tokenizer, folder / "tokenizer.json", size)
    bert = architecture == "BertModel"
    config = {
        "architectures": [architecture],
        "model_type": "bert" if bert else "xlm-roberta",
        "hidden_act": "gelu",
        "hidden_size": DIM,
        "intermediate_size": INNER,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "max_position_embeddings": POSITIONS,
        "type_vocab_size": 2 if bert else 1,
        "vocab_size": size,
        "layer_norm_eps": 1e-12 if bert else 1e-5,
        "bos_token_id": 0,
        "pad_token_id": 1,
        "eos_token_id": 2,
    }
    special = {"bos_token": "<s>", "cls_token": "<s>", "eos_token": "</s>", "sep_token": "</s>"}
    special |= {"pad_token": "<pad>", "unk_token": "<unk>"}
    _write(folder, "config.json", config)
    _write(
        folder,
        "tokenizer_config.json",
        {"tokenizer_class": "PreTrainedTokenizerFast", **special},
    )
    _write(folder, "modules.json", [_module(0, "Transformer", ""), _module(1, "Pooling")])
    (folder / "1_Pooling").mkdir()
    mode = {f"pooling_mode_{name}": False for name in ("mean_tokens", "cls_token", "max_tokens")}
    mode[{"mean": "pooling_mode_mean_tokens", "cls": "pooling_mode_cls_token"}[pooling]] = True
    _write(folder, "1_Pooling/config.json", {"word_embedding_dimension": DIM, **mode})
    if prompts is not None:
        _write(folder, "config_sentence_transformers.json", {"prompts": prompts})
    save_file(_tensors(size, config["type_vocab_size"], seed), folder / "model.safetensors")
    return folder


def unigram() -> Tokenizer:
    """A tokenizer as XLM-R has: pieces of SentencePiece, "▁" for spaces, <s> and </s> around."""
    tokenizer = Tokenizer(Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    texts = [path.read_text(encoding="utf-8") for path in sorted(CORPORA.glob("*/*.txt"))]
    trainer = trainers.UnigramTrainer(
        vocab_size=1200, special_tokens=["<s>", "<pad>", "</s>", "<unk>"], unk_token="<unk>"
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>",
        pair="<s> $A </s> </s> $B </s>",
        special_tokens=[("<s>", 0), ("</s>", 2)],
    )
    return tokenizer


def _fill(tokenizer: Tokenizer, path: Path, size: int) -> None:
    content = json.loads(tokenizer.to_str())
    pieces = content["model"]["vocab"]
    pieces += [[f"\ue000{number}", -50.0] for number in range(len(pieces), size)]
    path.write_text(json.dumps(content), encoding="utf-8")


def _tensors(size: int, kinds: Any, seed: int) -> dict[str, np.ndarray[Any, Any]]:
    rng = np.random.default_rng(seed)
    found: dict[str, np.ndarray[Any, Any]] = {}

    def add(name: str, *shape: int) -> None:
        found[name] = rng.normal(scale=0.3, size=shape).astype(np.float32)

    def norm(name: str) -> None:
        add(f"{name}.weight", DIM)
        found[f"{name}.weight"] += 1
        add(f"{name}.bias", DIM)

    for name, rows in (("word", size), ("position", POSITIONS), ("token_type", kinds)):
        add(f"embeddings.{name}_embeddings.weight", rows, DIM)
    norm("embeddings.LayerNorm")
    for layer in range(LAYERS):
        at = f"encoder.layer.{layer}"
        dense = [(f"{at}.attention.self.{part}", DIM, DIM) for part in ("query", "key", "value")]
        dense += [(f"{at}.attention.output.dense", DIM, DIM), (f"{at}.output.dense", DIM, INNER)]
        for name, out, into in [*dense, (f"{at}.intermediate.dense", INNER, DIM)]:
            add(f"{name}.weight", out, into)
            add(f"{name}.bias", out)
        norm(f"{at}.attention.output.LayerNorm")
        norm(f"{at}.output.LayerNorm")
    return found


def _module(number: int, kind: str, path: str | None = None) -> dict[str, Any]:
    place = f"{number}_{kind}" if path is None else path
    type_ = f"sentence_transformers.models.{kind}"
    return {"idx": number, "name": str(number), "path": place, "type": type_}


def _write(folder: Path, name: str, content: Any) -> None:
    (folder / name).write_text(json.dumps(content), encoding="utf-8")
