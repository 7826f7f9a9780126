"""Turn trained weights into the ONNX file that is shipped, and say what that costs.

    python export.py --data DATA --work WORK --start FOLDER --weights final.pt --out model.onnx

Prints size, sha256, CPU time of a text, and how far the file's probabilities are from those of
training, on pairs of SciFact.
"""

import argparse
import hashlib
import time
from pathlib import Path

import numpy as np
import torch

from citeloom.infrastructure.cross_encoding import CrossEncoder as Runs
from encoder import MAX_TOKENS, probabilities, start, tokens
from graph import build
from labelled import closeness, scifact
from pairs import QUERY_TOKENS
from stack import readings


def main() -> None:
    options = _options()
    torch.set_num_threads(1)
    model = start(options.start, seed=0)
    model.load_state_dict(torch.load(options.work / options.weights))
    built = build(model, options.scheme)
    built.graph.name = "verdicts"
    built.graph.output[0].type.tensor_type.shape.dim[1].dim_value = 3
    options.out.write_bytes(built.SerializeToString())
    content = options.out.read_bytes()
    print(f"{options.out}: {len(content)} bytes, sha256 {hashlib.sha256(content).hexdigest()}")

    rows = scifact(options.data / "scifact")
    scores = closeness(rows, options.work / "sf.npz")
    asked = [
        (row.claim, text)
        for row, near in list(zip(rows, scores, strict=True))[: options.pairs]
        for text in dict.fromkeys(readings(row, near))
    ]
    runs = Runs(
        "verdicts", lambda: options.out, options.start,
        max_tokens=MAX_TOKENS, first_tokens=QUERY_TOKENS, threads=1,
    )  # fmt: skip
    runs.logits("warm", ["warm"])
    began = time.process_time()
    logits = np.array([runs.logits(claim, [text])[0] for claim, text in asked])
    spent = 1000 * (time.process_time() - began) / len(asked)
    shares = np.exp(logits - logits.max(1, keepdims=True))
    shares /= shares.sum(1, keepdims=True)
    exact = probabilities(model.bfloat16(), tokens(options.start), asked)
    same = (shares.argmax(1) == exact.argmax(1)).mean()
    print(
        f"{len(asked)} texts: CPU {spent:.1f} ms each, mean difference of a probability "
        f"{np.abs(shares - exact).mean():.4f}, the same class in {same:.3f}"
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--start", type=Path, required=True)
    parser.add_argument("--weights", default="final.pt")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--scheme", default="dynamic", choices=("float", "weights", "dynamic"))
    parser.add_argument("--pairs", type=int, default=50)
    return parser.parse_args()


if __name__ == "__main__":
    main()
