"""The graph of the encoder: ids of one text's tokens to its vector."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
from layers import LAYERS, Linear, Weights
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

DIMENSION, HEADS, WINDOW = 384, 12, 256
_EPSILON = 1e-12
_CONTRIB = "com.microsoft"

# Migration strength of each kind of layer (SmoothQuant, Xiao et al. 2023, alpha): how much of the
# range of a channel of the input moves into the weights.
_ALPHA = {"attention": 0.7, "projection": 0.7, "expansion": 0.6, "contraction": 0.8}


class Encoder:
    """Builds the graph. With ``ranges``, the largest absolute values of each linear layer's input
    channels, matrix products are of int8 with a scale of the input that is found at each call;
    without them they are of float32, and the inputs of the linear layers are outputs of the
    graph."""

    def __init__(self, weights: Weights, ranges: Mapping[str, NDArray[np.float32]] | None) -> None:
        self._weights = weights
        self._ranges = ranges
        self._nodes: list[onnx.NodeProto] = []
        self._tensors: list[onnx.TensorProto] = []
        self._inputs: dict[str, str] = {}

    def build(self) -> onnx.ModelProto:
        states = self._embedded()
        for layer in range(LAYERS):
            states = self._layer(f"layer{layer}", layer, states)
        axis = self._constant("tokens", np.array([1], np.int64))
        mean = self._node("ReduceMean", [states, axis], "mean", keepdims=0)
        self._node("LpNormalization", [mean], "vectors", axis=-1, p=2)
        outputs: list[tuple[str, list[str | int] | None]] = [("vectors", ["texts", DIMENSION])]
        if self._ranges is None:
            outputs += [(name, None) for name in dict.fromkeys(self._inputs.values())]
        infos = [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in outputs]
        ids = helper.make_tensor_value_info("ids", TensorProto.INT64, ["texts", "tokens"])
        graph = helper.make_graph(self._nodes, "all-MiniLM-L6-v2", [ids], infos, self._tensors)
        opsets = [helper.make_opsetid("", 18), helper.make_opsetid(_CONTRIB, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=10)

    @property
    def inputs(self) -> Mapping[str, str]:
        """The name of the input of each linear layer."""
        return self._inputs

    def _embedded(self) -> str:
        words, scales = self._weights.embedding("word")
        places, place_scales = self._weights.embedding("position")
        positions = places[:WINDOW] * place_scales[:WINDOW] + self._weights.token_type
        rows = self._node("Gather", [self._constant("words", words), "ids"], "rows")
        factors = self._node("Gather", [self._constant("scales", scales), "ids"], "factors")
        values = self._node("Cast", [rows], "values", to=TensorProto.FLOAT)
        word = self._node("Mul", [values, factors], "word")
        count = self._node("Shape", ["ids"], "count", start=1, end=2)
        first = self._constant("first", np.array([0], np.int64))
        table = self._constant("positions", positions.astype(np.float32))
        place = self._node("Slice", [table, first, count, first], "place")
        both = self._node("Add", [word, place], "embedded")
        return self._norm(both, "embeddings", "normed")

    def _layer(self, name: str, layer: int, states: str) -> str:
        linear = self._weights.linear(layer)
        place = f"encoder.layer.{layer}"
        projected = self._linear(f"{name}.attention", states, linear["attention"])
        parts = [f"{name}.{part}" for part in ("query", "key", "value")]
        self._nodes.append(helper.make_node("Split", [projected], parts, axis=2, num_outputs=3))
        heard = self._node(
            "MultiHeadAttention", parts, f"{name}.heads", domain=_CONTRIB, num_heads=HEADS
        )
        heard = self._linear(f"{name}.projection", heard, linear["projection"])
        added = self._node("Add", [heard, states], f"{name}.added")
        middle = self._norm(added, f"{place}.attention.output", f"{name}.middle")
        wide = self._linear(f"{name}.expansion", middle, linear["expansion"])
        wide = self._node("Gelu", [wide], f"{name}.gelu", domain=_CONTRIB)
        narrow = self._linear(f"{name}.contraction", wide, linear["contraction"])
        added = self._node("Add", [narrow, middle], f"{name}.summed")
        return self._norm(added, f"{place}.output", f"{name}.states")

    def _linear(self, name: str, states: str, linear: Linear) -> str:
        self._inputs[name] = states
        bias = self._constant(f"{name}.bias", linear.bias)
        if self._ranges is None:
            values = self._constant(f"{name}.weights", linear.values)
            product = self._node("MatMul", [states, values], f"{name}.product")
            return self._node("Add", [product, bias], f"{name}.output")
        factors = _smoothing(linear.values, self._ranges[name], _ALPHA[name.split(".")[1]])
        values = linear.values * factors[:, None]
        scales = (np.abs(values).max(axis=0) / 127).astype(np.float32)
        smooth = self._node(
            "Mul", [states, self._constant(f"{name}.factors", 1 / factors)], f"{name}.smooth"
        )
        weights = self._constant(f"{name}.weights", np.round(values / scales).astype(np.int8))
        inputs = [smooth, weights, self._constant(f"{name}.scales", scales), "", bias]
        return self._node("DynamicQuantizeMatMul", inputs, f"{name}.output", domain=_CONTRIB)

    def _norm(self, states: str, place: str, name: str) -> str:
        weight, bias = self._weights.norm(place)
        inputs = [states, self._constant(f"{name}.weight", weight)]
        inputs.append(self._constant(f"{name}.bias", bias))
        return self._node("LayerNormalization", inputs, name, epsilon=_EPSILON)

    def _constant(self, name: str, value: NDArray[Any]) -> str:
        self._tensors.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def _node(self, kind: str, inputs: list[str], name: str, **attributes: Any) -> str:
        self._nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
        return name


def _smoothing(
    weights: NDArray[np.float32], ranges: NDArray[np.float32], alpha: float
) -> NDArray[np.float32]:
    """Factors by which the rows of the weights are multiplied and the channels of the input
    divided, with the geometric mean 1."""
    largest = np.maximum(np.abs(weights).max(axis=1), 1e-6)
    seen = np.maximum(ranges, np.quantile(ranges, 0.05))
    factors = seen**alpha / largest ** (1 - alpha)
    return (factors / np.exp(np.log(factors).mean())).astype(np.float32)
