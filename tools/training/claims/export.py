"""Write the trained cross-encoder of claims and evidence as int8 ONNX.

python export.py --weights OUT/final.npz --of bge --start START/bge.npz --out model.onnx

The word embeddings are those of the start weights, which training leaves as they are.
"""

import argparse
import hashlib
import sys
from pathlib import Path

import numpy as np
import onnx

import network

sys.path.append(str(Path(__file__).parent.parent / "reranker"))

from graph import Graph, first_token, head, mean, trunk
from model import Shape

SCHEME = "dynamic"
CLASSES = 3


def build(state: dict[str, np.ndarray], scheme: str = SCHEME) -> onnx.ModelProto:
    graph = Graph(scheme)
    layers = len({name.split(".")[1] for name in state if name.startswith("layers.")})
    x, real, second = trunk(graph, state, Shape(layers=layers))
    claim = mean(graph, x, graph.node("Sub", real, second))
    evidence = mean(graph, x, second)
    apart = graph.node("Abs", graph.node("Sub", claim, evidence))
    alike = graph.node("Mul", claim, evidence)
    pooled = graph.node("Concat", first_token(graph, x), claim, evidence, apart, alike, axis=-1)
    return graph.model(head(graph, state, pooled), "judge", CLASSES)


def main() -> None:
    options = _options()
    state = {}
    if options.start:
        started = network.start(options.start, 0).state_dict()
        state = {name: value.float().numpy() for name, value in started.items()}
    for path in options.weights:
        with np.load(path) as file:
            named = {
                name.removeprefix(f"{options.of}/"): file[name]
                for name in file.files
                if name.startswith(f"{options.of}/") or not options.of
            }
            state |= network.unpacked(named)
    options.out.write_bytes(build(state).SerializeToString())
    digest = hashlib.sha256(options.out.read_bytes()).hexdigest()
    print(f"{options.out}: {options.out.stat().st_size} bytes, sha256 {digest}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weights", type=Path, nargs="+", required=True)
    parser.add_argument("--of", default="", help="the start, where the file has weights of several")
    parser.add_argument("--start", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    return parser.parse_args()


if __name__ == "__main__":
    main()
