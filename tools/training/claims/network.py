"""The cross-encoder of claim and evidence on a GPU; the same layers and names as ``encoder.py``."""

import json
import struct
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

WIDTH, INNER, HEADS = 384, 1536, 12


class Layer(nn.Module):
    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)
        self.out_norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.up = nn.Linear(WIDTH, INNER)
        self.down = nn.Linear(INNER, WIDTH)
        self.down_norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        batch, length, _ = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        seen = seen.transpose(1, 2).reshape(batch, length, WIDTH)
        x = self.out_norm(x + self.dropout(self.out(seen)))
        return self.down_norm(x + self.dropout(self.down(functional.gelu(self.up(x)))))


class Verdicts(nn.Module):
    """``forward`` gives logits, batch x 3: neither, support, contradiction."""

    def __init__(self, layers: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.words = nn.Embedding(30522, WIDTH)
        self.places = nn.Embedding(512, WIDTH)
        self.segments = nn.Embedding(2, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.layers = nn.ModuleList(Layer(dropout) for _ in range(layers))
        self.pool = nn.Linear(5 * WIDTH, WIDTH)
        self.score = nn.Linear(WIDTH, 3)
        self.dropout = nn.Dropout(dropout)
        self.words.weight.requires_grad_(False)

    def forward(self, ids: Tensor, segments: Tensor) -> Tensor:
        real = ids != 0
        places = torch.arange(ids.shape[1], device=ids.device)
        x = self.words(ids) + self.places(places) + self.segments(segments)
        x = self.dropout(self.norm(x))
        mask = real[:, None, None, :].expand(-1, HEADS, ids.shape[1], -1)
        for layer in self.layers:
            x = layer(x, mask)
        x = x.float()
        behind = (segments == 1).float()[:, :, None]
        before = real.float()[:, :, None] - behind
        claim, evidence = _mean(x, before), _mean(x, behind)
        read = [x[:, 0], claim, evidence, (claim - evidence).abs(), claim * evidence]
        pooled = torch.tanh(self.pool(torch.cat(read, dim=-1)))
        return self.score(self.dropout(pooled)).float()


def _mean(x: Tensor, weights: Tensor) -> Tensor:
    return (x * weights).sum(1) / weights.sum(1)


def start(path: Path, seed: int, dropout: float = 0.1) -> Verdicts:
    """``path``: weights in the names of ``Verdicts``, or a folder with ``model.safetensors``."""
    torch.manual_seed(seed)
    if path.is_dir():
        source = _named(_tensors(path / "model.safetensors"))
    else:
        with np.load(path) as file:
            stored = unpacked({name: file[name] for name in file.files})
        source = {name: torch.from_numpy(value.copy()) for name, value in stored.items()}
    layers = {name.split(".")[1] for name in source if name.startswith("layers.")}
    model = Verdicts(len(layers), dropout)
    model.load_state_dict(model.state_dict() | source)
    return model


def _named(source: dict[str, Tensor]) -> dict[str, Tensor]:
    """BERT's weights in the names of ``Verdicts``."""
    found = {}
    for ours, theirs in {"words": "word", "places": "position", "segments": "token_type"}.items():
        found[f"{ours}.weight"] = source[f"embeddings.{theirs}_embeddings.weight"]
    layers = sum(name.endswith("intermediate.dense.bias") for name in source)
    for part in ("weight", "bias"):
        found[f"norm.{part}"] = source[f"embeddings.LayerNorm.{part}"]
        for place in range(layers):
            layer = f"encoder.layer.{place}"
            found[f"layers.{place}.qkv.{part}"] = torch.cat(
                [source[f"{layer}.attention.self.{x}.{part}"] for x in ("query", "key", "value")]
            )
            for ours, theirs in {
                "out": "attention.output.dense", "out_norm": "attention.output.LayerNorm",
                "up": "intermediate.dense", "down": "output.dense",
                "down_norm": "output.LayerNorm",
            }.items():  # fmt: skip
                found[f"layers.{place}.{ours}.{part}"] = source[f"{layer}.{theirs}.{part}"]
    return found


def _tensors(path: Path) -> dict[str, Tensor]:
    raw = path.read_bytes()
    size = struct.unpack("<Q", raw[:8])[0]
    kinds = {"F16": "<f2", "F32": "<f4"}
    found = {}
    for name, one in json.loads(raw[8 : 8 + size]).items():
        if name == "__metadata__" or one["dtype"] not in kinds:
            continue
        a, b = one["data_offsets"]
        values = np.frombuffer(raw[8 + size + a : 8 + size + b], kinds[one["dtype"]])
        found[name] = torch.from_numpy(values.astype(np.float32).reshape(one["shape"]))
    return found


def unpacked(stored: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Weights as they were stored: half-precision, or 8-bit numbers with a scale a row."""
    found = {}
    for name, value in stored.items():
        if not name.endswith("/scale"):
            scale = stored.get(f"{name}/scale", np.float32(1))
            found[name] = value.astype(np.float32) * scale
    return found
