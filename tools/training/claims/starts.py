"""Start weights as 8-bit numbers with a scale a row, from an ONNX file.

python starts.py bge-small-en-v1.5.onnx bge.npz
python starts.py ../../../src/infrastructure/models/judging/data/model.onnx six.npz

The first is an export of BERT, whose matrices have the names of their nodes; the second is a judge.
"""

import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

from network import HEADS, WIDTH

SMALLEST = 20_000


def of_bert(path: Path) -> dict[str, np.ndarray]:
    graph = onnx.load(path).graph
    values = {one.name: numpy_helper.to_array(one).astype(np.float32) for one in graph.initializer}
    matrices = {
        node.name.strip("/").removesuffix("/MatMul").replace("/", "."): values[node.input[1]].T
        for node in graph.node
        if node.op_type == "MatMul" and node.input[1] in values
    }
    values |= {f"{name}.weight": value for name, value in matrices.items()}
    found = {}
    for ours, theirs in {"words": "word", "places": "position", "segments": "token_type"}.items():
        found[f"{ours}.weight"] = values[f"embeddings.{theirs}_embeddings.weight"]
    for part in ("weight", "bias"):
        found[f"norm.{part}"] = values[f"embeddings.LayerNorm.{part}"]
        for place in range(len(matrices) // 6):
            layer = f"encoder.layer.{place}"
            found[f"layers.{place}.qkv.{part}"] = np.concatenate(
                [values[f"{layer}.attention.self.{x}.{part}"] for x in ("query", "key", "value")]
            )
            for ours, theirs in {
                "out": "attention.output.dense", "out_norm": "attention.output.LayerNorm",
                "up": "intermediate.dense", "down": "output.dense",
                "down_norm": "output.LayerNorm",
            }.items():  # fmt: skip
                found[f"layers.{place}.{ours}.{part}"] = values[f"{layer}.{theirs}.{part}"]
    return found


def of_judge(path: Path) -> dict[str, np.ndarray]:
    """Matrices are outputs x inputs."""
    held = [numpy_helper.to_array(one) for one in onnx.load(path).graph.initializer]
    # Of each layer four matrices, and the word embeddings.
    layers = (sum(one.dtype == np.int8 for one in held) - 1) // 4
    values = iter([one for one in held if one.dtype in (np.float32, np.int8)])

    def linear() -> tuple[np.ndarray, np.ndarray]:
        weight = next(values)
        if weight.dtype == np.int8:
            weight = weight.astype(np.float32) * next(values)
        return weight.T.copy(), next(values).copy()

    found = {"places.weight": np.zeros((512, WIDTH), np.float32)}
    places = next(values)
    found["places.weight"][: len(places)] = places
    found["words.weight"] = next(values).astype(np.float32) * next(values)
    found["segments.weight"] = next(values)
    found["norm.weight"], found["norm.bias"] = next(values), next(values)
    # What hides absent tokens.
    next(values), next(values)
    parts = ("qkv", "out", "out_norm", "up", "down", "down_norm")
    for name in [*(f"layers.{n}.{part}" for n in range(layers) for part in parts), "pool", "score"]:
        weight, bias = (next(values), next(values)) if "norm" in name else linear()
        if name.endswith("qkv"):
            # The scaling of attention lies in the query's weights there.
            weight[:WIDTH] *= (WIDTH // HEADS) ** 0.5
            bias[:WIDTH] *= (WIDTH // HEADS) ** 0.5
        found[f"{name}.weight"], found[f"{name}.bias"] = weight, bias
    return found


def main() -> None:
    source, out = map(Path, sys.argv[1:])
    names = {one.name for one in onnx.load(source).graph.initializer}
    state = (of_bert if "embeddings.LayerNorm.weight" in names else of_judge)(source)
    packed = {}
    for name, value in state.items():
        if value.ndim == 2 and value.size > SMALLEST:
            scale = np.maximum(np.abs(value).max(1, keepdims=True), 1e-12) / 127
            packed[name] = np.round(value / scale).astype(np.int8)
            packed[f"{name}/scale"] = scale.astype(np.float32)
        else:
            packed[name] = value
    np.savez_compressed(out, **packed)


if __name__ == "__main__":
    main()
