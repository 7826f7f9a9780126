"""Cross-encoders as an ONNX graph, node by node, with their weights as whole numbers.

Inputs ``input_ids``, ``attention_mask``, ``token_type_ids`` (int64, batch x length); output
``logits`` (float32, batch x 1, or as many as there are classes). The reranker is two graphs: the
first gives also the ``states`` of the tokens after ``EXIT`` layers (float32, batch x length x
width), from which the second goes on. Word embeddings are int8 with a scale for each row. Matrices
are kept as ``scheme`` says:

``float``    float32, for comparison
``weights``  int8 with a scale for each column, made float32 at load; sums are float32
``dynamic``  the same, but with 7 bits, and activations are made 8-bit numbers at each run by
             one scale a tensor. 7 bits, since on processors without VNNI the sum of two
             products of 8-bit numbers overflows 16 bits. With one pair a run the scale, and so
             the score, depends on nothing but the pair.
"""

from typing import NamedTuple

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from model import CrossEncoder, Shape
from pairs import MAX_TOKENS

# Layers after which the first graph ends, and the files of the two.
EXIT, NAMES = 3, ("model.onnx", "rest.onnx")
OPSET = 20
IR_VERSION = 9
STATES = helper.make_tensor_value_info("states", TensorProto.FLOAT, ["batch", "length", 384])


class Graph:
    def __init__(self, scheme: str) -> None:
        self._scheme = scheme
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []

    def node(self, kind: str, *inputs: str, domain: str = "", **attributes: object) -> str:
        name = f"{kind.lower()}_{len(self._nodes)}"
        self._nodes.append(
            helper.make_node(kind, list(inputs), [name], name, domain=domain, **attributes)
        )
        return name

    def split(self, x: str, parts: int) -> list[str]:
        names = [f"split_{len(self._nodes)}_{part}" for part in range(parts)]
        node = helper.make_node("Split", [x], names, names[0], axis=-1, num_outputs=parts)
        self._nodes.append(node)
        return names

    def constant(self, values: np.ndarray) -> str:
        name = f"constant_{len(self._constants)}"
        self._constants.append(numpy_helper.from_array(np.array(values, order="C"), name))
        return name

    def linear(
        self, x: str, weight: np.ndarray, bias: np.ndarray, scheme: str | None = None
    ) -> str:
        """``weight`` is inputs x outputs."""
        scheme = scheme or self._scheme
        if scheme == "float":
            return self.node(
                "Add", self.node("MatMul", x, self.constant(weight)), self.constant(bias)
            )
        whole, scales = quantised(weight, axis=0, bits=7 if scheme == "dynamic" else 8)
        if scheme == "dynamic":
            return self.node(
                "DynamicQuantizeMatMul", x, self.constant(whole), self.constant(scales), "",
                self.constant(bias), domain="com.microsoft",
            )  # fmt: skip
        zeros = self.constant(np.zeros(len(scales), dtype=np.int8))
        matrix = self.node(
            "DequantizeLinear", self.constant(whole), self.constant(scales), zeros, axis=1
        )
        return self.node("Add", self.node("MatMul", x, matrix), self.constant(bias))

    def embed(self, ids: str, table: np.ndarray) -> str:
        if self._scheme == "float":
            return self.node("Gather", self.constant(table), ids)
        whole, scales = quantised(table, axis=1, bits=8)
        rows = self.node("Gather", self.constant(whole), ids)
        scale = self.node("Gather", self.constant(scales[:, None]), ids)
        return self.node("Mul", self.node("Cast", rows, to=TensorProto.FLOAT), scale)

    def model(self, output: str, name: str = "reranker", classes: int = 1,
              takes: str = "input_ids", gives: str = "") -> onnx.ModelProto:  # fmt: skip
        """``takes`` ids or the states that another graph ``gives``."""
        inputs = [
            STATES if name == "states"
            else helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"])
            for name in (takes, "attention_mask", "token_type_ids")
        ]  # fmt: skip
        outputs = [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", classes])]
        self._nodes.append(helper.make_node("Identity", [output], ["logits"], "logits"))
        if gives:
            self._nodes.append(helper.make_node("Identity", [gives], ["states"], "states"))
            outputs.append(STATES)
        graph = helper.make_graph(self._nodes, name, inputs, outputs, self._constants)
        domains = [helper.make_opsetid("", OPSET), helper.make_opsetid("com.microsoft", 1)]
        built = helper.make_model(
            graph, opset_imports=domains, ir_version=IR_VERSION, producer_name="citeloom"
        )
        onnx.checker.check_model(built)
        return built


def quantised(values: np.ndarray, axis: int, bits: int) -> tuple[np.ndarray, np.ndarray]:
    """Whole numbers and one scale for each slice across ``axis``, symmetric about 0."""
    highest = 2 ** (bits - 1) - 1
    scales = np.maximum(np.abs(values).max(axis=axis), 1e-12) / highest
    spread = scales[None, :] if axis == 0 else scales[:, None]
    whole = np.clip(np.round(values / spread), -highest, highest)
    return whole.astype(np.int8), scales.astype(np.float32)


class Trunk(NamedTuple):
    """The states of the tokens, batch x length x width; which are real, and which of the second
    text, batch x length."""

    states: str
    real: str
    second: str


def build(model: CrossEncoder, scheme: str) -> tuple[onnx.ModelProto, onnx.ModelProto]:
    """The two graphs of a trained reranker; see the module for the schemes."""
    state, shape, first, rest = weights(model), model.shape, Graph(scheme), Graph(scheme)
    early = trunk(first, state, shape, range(EXIT))
    late = trunk(rest, state, shape, range(EXIT, shape.layers))
    return (
        first.model(logit(first, state, early, "exit."), gives=early.states),
        rest.model(logit(rest, state, late), takes="states"),
    )


def logit(graph: Graph, state: dict[str, np.ndarray], of: Trunk, prefix: str = "") -> str:
    x, real, segment = of

    def product(left: str, right: str) -> str:
        return graph.node("ReduceSum", graph.node("Mul", left, right), one, keepdims=1)

    one = graph.constant(np.array([1], dtype=np.int64))
    pooled = graph.node("Concat", first_token(graph, x), mean(graph, x, real), axis=-1)
    pooled = head(graph, state, pooled, prefix, "weights")
    query = mean(graph, x, graph.node("Sub", real, segment))
    passage = mean(graph, x, segment)
    lengths = graph.node("Mul", product(query, query), product(passage, passage))
    alike = graph.node("Div", product(query, passage), graph.node("Sqrt", lengths))
    closeness = graph.node("Mul", alike, graph.constant(state[f"{prefix}factor"]))
    return graph.node("Add", pooled, closeness)


def weights(model: CrossEncoder) -> dict[str, np.ndarray]:
    return {name: value.float().numpy() for name, value in model.state_dict().items()}


def first_token(graph: Graph, x: str) -> str:
    return graph.node("Gather", x, graph.constant(np.array(0, dtype=np.int64)), axis=1)


def mean(graph: Graph, x: str, there: str) -> str:
    """Over the tokens that are ``there``: batch x width."""
    third = graph.constant(np.array([2], dtype=np.int64))
    one = graph.constant(np.array([1], dtype=np.int64))
    shares = graph.node("Unsqueeze", there, third)
    total = graph.node("ReduceSum", graph.node("Mul", x, shares), one, keepdims=0)
    return graph.node("Div", total, graph.node("ReduceSum", shares, one, keepdims=0))


def head(graph: Graph, state: dict[str, np.ndarray], pooled: str, prefix: str = "",
         scheme: str = "float") -> str:  # fmt: skip
    """It is small: sums are float32 under every scheme."""
    for name in (f"{prefix}pool", f"{prefix}score"):
        weight, bias = state[f"{name}.weight"].T, state[f"{name}.bias"]
        pooled = graph.linear(pooled, weight, bias, scheme if weight.shape[1] > 1 else "float")
        if name.endswith("pool"):
            pooled = graph.node("Tanh", pooled)
    return pooled


def trunk(graph: Graph, state: dict[str, np.ndarray], shape: Shape,
          layers: range | None = None) -> Trunk:  # fmt: skip
    """Embeddings and layers, or those ``layers`` that follow the states of others."""
    layers = layers or range(shape.layers)
    depth = shape.width // shape.heads

    def norm(x: str, name: str) -> str:
        scale, bias = (graph.constant(state[f"{name}.{part}"]) for part in ("weight", "bias"))
        return graph.node("LayerNormalization", x, scale, bias, axis=-1, epsilon=shape.epsilon)

    def linear(x: str, name: str, factor: np.ndarray | float = 1.0) -> str:
        weight, bias = state[f"{name}.weight"].T * factor, state[f"{name}.bias"] * factor
        return graph.linear(x, weight.astype(np.float32), bias.astype(np.float32))

    def heads(x: str, order: list[int]) -> str:
        apart = graph.node("Reshape", x, per_head)
        return graph.node("Transpose", apart, perm=order)

    per_head = graph.constant(np.array([0, 0, shape.heads, depth], dtype=np.int64))
    joined = graph.constant(np.array([0, 0, shape.width], dtype=np.int64))

    def embedded() -> str:
        zero = graph.constant(np.array([0], dtype=np.int64))
        length = graph.node("Shape", "input_ids", start=1, end=2)
        places = graph.node(
            "Slice", graph.constant(state["places.weight"][:MAX_TOKENS]), zero, length, zero
        )
        x = graph.embed("input_ids", state["words.weight"])
        segments = graph.node("Gather", graph.constant(state["segments.weight"]), "token_type_ids")
        return norm(graph.node("Add", graph.node("Add", x, segments), places), "norm")

    x = "states" if layers.start else embedded()

    real = graph.node("Cast", "attention_mask", to=TensorProto.FLOAT)
    absent = graph.node("Sub", graph.constant(np.float32([1.0])), real)
    hidden = graph.node("Mul", absent, graph.constant(np.float32([-1e4])))
    two_axes = graph.constant(np.array([1, 2], dtype=np.int64))
    mask = graph.node("Unsqueeze", hidden, two_axes)

    # The scaling of attention (Vaswani et al. 2017) lies in the query's weights.
    factor = np.ones(3 * shape.width, dtype=np.float32)
    factor[: shape.width] = depth**-0.5
    for number in layers:
        layer = f"layers.{number}"
        q, k, v = graph.split(linear(x, f"{layer}.qkv", factor), 3)
        alike = graph.node("MatMul", heads(q, [0, 2, 1, 3]), heads(k, [0, 2, 3, 1]))
        share = graph.node("Softmax", graph.node("Add", alike, mask), axis=-1)
        seen = graph.node("MatMul", share, heads(v, [0, 2, 1, 3]))
        seen = graph.node("Reshape", graph.node("Transpose", seen, perm=[0, 2, 1, 3]), joined)
        x = norm(graph.node("Add", x, linear(seen, f"{layer}.out")), f"{layer}.out_norm")
        inner = graph.node("Gelu", linear(x, f"{layer}.up"))
        x = norm(graph.node("Add", x, linear(inner, f"{layer}.down")), f"{layer}.down_norm")

    segment = graph.node("Cast", "token_type_ids", to=TensorProto.FLOAT)
    return Trunk(x, real, segment)
