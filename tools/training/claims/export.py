"""Write the trained cross-encoder of claims and evidence as int8 ONNX, and compare the two.

python export.py --work WORK --start FOLDER --out model.onnx
"""

import argparse
import hashlib
import time
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch

import labelled
from encoder import CLASSES, Verdicts, probabilities, start, tokens
from graph import Graph, first_token, head, mean, trunk, weights
from pairs import PairTokens
from reading import asked

SCHEME = "dynamic"


def build(model: Verdicts) -> onnx.ModelProto:
    state, graph = weights(model), Graph(SCHEME)
    x, real, second = trunk(graph, state, model.shape)
    claim = mean(graph, x, graph.node("Sub", real, second))
    evidence = mean(graph, x, second)
    apart = graph.node("Abs", graph.node("Sub", claim, evidence))
    alike = graph.node("Mul", claim, evidence)
    pooled = graph.node("Concat", first_token(graph, x), claim, evidence, apart, alike, axis=-1)
    built = graph.model(head(graph, state, pooled), "judge", CLASSES)
    onnx.checker.check_model(built)
    return built


class OnnxVerdicts:
    """Reads pairs one by one on one thread, as the product does."""

    def __init__(self, path: Path, words: PairTokens) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(
            str(path), options, providers=["CPUExecutionProvider"]
        )
        self._words = words

    def probabilities(self, pairs: list[tuple[str, str]]) -> np.ndarray:
        logits = np.array([self._logits(*pair) for pair in pairs])
        raw = np.exp(logits - logits.max(1, keepdims=True))
        shares: np.ndarray = raw / raw.sum(1, keepdims=True)
        return shares

    def _logits(self, claim: str, evidence: str) -> np.ndarray:
        ids, segments = self._words.batch([self._words.encode(claim, evidence)])
        feed = {
            "input_ids": ids.numpy(),
            "attention_mask": np.ones(ids.shape, dtype=np.int64),
            "token_type_ids": segments.numpy(),
        }
        found: np.ndarray = self._session.run(None, feed)[0][0]
        return found


def main() -> None:
    options = _options()
    torch.set_num_threads(1)
    words = tokens(options.start)
    model = start(options.start, 0)
    model.load_state_dict(torch.load(options.work / options.weights))
    options.out.write_bytes(build(model.eval()).SerializeToString())
    digest = hashlib.sha256(options.out.read_bytes()).hexdigest()
    print(f"{options.out}: {options.out.stat().st_size} bytes, sha256 {digest}")
    for name in options.sets:
        rows = labelled.named(options.data, name)
        scores = labelled.closeness(rows, options.work / f"{name}.npz")
        pairs = asked(rows, scores)[: options.pairs]
        exported = OnnxVerdicts(options.out, words)
        began = time.process_time()
        found = exported.probabilities(pairs)
        spent = 1000 * (time.process_time() - began) / len(pairs)
        apart = np.abs(found - probabilities(model, words, pairs)).mean()
        print(f"{name}: mean difference {apart:.4f}, CPU {spent:.1f} ms a pair")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--start", type=Path, required=True)
    parser.add_argument("--weights", default="final.pt")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--sets", nargs="*", default=["sf", "hv"], help="compare on these")
    parser.add_argument("--pairs", type=int, default=400)
    return parser.parse_args()


if __name__ == "__main__":
    main()
