"""Turn trained weights into the two ONNX files that are shipped.

    python export.py --weights reranker.npz --start START --out FOLDER [--work WORK --name s0]

Prints size and sha256; with WORK, the calibration of the candidate NAME on the held-out questions.
"""

import argparse
import hashlib
import json
from pathlib import Path

import numpy as np
import torch

from calibrate import platt
from graph import NAMES, build
from model import CrossEncoder, Shape, from_minilm

# Candidates of a question that were scored.
DEPTH = 20


def trained(weights: Path, start: Path) -> CrossEncoder:
    """The start weights with those that training changed."""
    model = from_minilm(start / "model.safetensors", Shape(), 0.0).float()
    state = model.state_dict()
    with np.load(weights) as saved:
        state |= {name: torch.from_numpy(saved[name].astype(np.float32)) for name in saved.files}
    model.load_state_dict(state)
    return model.eval()


def calibration(work: Path, name: str) -> tuple[float, float]:
    """Platt's scale and offset on the held-out questions of all sets."""
    held = json.loads((work / "held.json").read_text())
    found = json.loads((work / f"{name}.logits.json").read_text())
    logits = [value for row in found[: len(held)] for value in row]
    truth = [c in set(row["right"]) for row in held for c in row["cands"][:DEPTH]]
    return platt(np.array(logits), np.array(truth, dtype=float))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--start", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--scheme", default="dynamic", choices=("float", "weights", "dynamic"))
    parser.add_argument("--work", type=Path)
    parser.add_argument("--name", default="s0")
    options = parser.parse_args()
    model = trained(options.weights, options.start)
    for name, built in zip(NAMES, build(model, options.scheme), strict=True):
        file = options.out / name
        file.write_bytes(built.SerializeToString())
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        print(f"{file}: {file.stat().st_size} bytes, sha256 {digest}")
    if options.work:
        scale, offset = calibration(options.work, options.name)
        print(f"calibration: scale {scale:.3f}, offset {offset:.3f}")


if __name__ == "__main__":
    main()
