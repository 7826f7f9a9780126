"""Turn trained weights into the ONNX file that is shipped, and say what that costs.

    python export.py --work /tmp/reranker --weights final.pt --out model.onnx

Prints size, sha256, CPU time of a pair, and the quality of each scheme on the claims that a
fold held out (``--fold``). With ``--citint`` prints the figures out of domain.
"""

import argparse
import hashlib
import random
import time
from pathlib import Path

import numpy as np
import onnxruntime
import torch

import corpus as corpora
from calibrate import platt
from corpus import Corpus
from evaluate import candidates, figures, texts
from graph import build
from model import CrossEncoder, Shape
from pairs import PairTokens


class OnnxPairs:
    """Scores pairs one by one, as the product does."""

    def __init__(self, path: Path, tokens: PairTokens, threads: int = 1) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        # Without it the matrices of the scheme ``weights`` are made float32 at every run.
        options.add_session_config_entry("session.disable_quant_qdq", "1")
        self._session = onnxruntime.InferenceSession(
            str(path), options, providers=["CPUExecutionProvider"]
        )
        self._tokens = tokens

    def logits(self, pairs: list[tuple[str, str]]) -> list[float]:
        return [self._logit(query, passage) for query, passage in pairs]

    def _logit(self, query: str, passage: str) -> float:
        ids, segments = self._tokens.batch([self._tokens.encode(query, passage)])
        feed = {
            "input_ids": ids.numpy(),
            "attention_mask": np.ones(ids.shape, dtype=np.int64),
            "token_type_ids": segments.numpy(),
        }
        return float(self._session.run(None, feed)[0][0, 0])


def main() -> None:
    options = _options()
    torch.set_num_threads(1)
    tokens = PairTokens(options.start / "tokenizer.json")
    trained = _trained(options.work / options.weights)
    if options.schemes:
        corpus = corpora.load(options.work / "sf")
        held = np.load(options.work / f"fold-{options.fold}.npz")
        queries = held["queries"].tolist()[: options.claims]
        places = held["candidates"].tolist()[: options.claims]
        reference = held["logits"][: options.claims]
        print(f"bfloat16 of training, {len(queries)} claims of fold {options.fold}")
        _print(figures(corpus, queries, places, reference))
        fold = _trained(options.work / f"fold-{options.fold}.pt")
        pairs = [pair for q, c in zip(queries, places, strict=True) for pair in texts(corpus, q, c)]
        for scheme in options.schemes:
            path = options.work / f"{scheme}.onnx"
            path.write_bytes(build(fold, scheme).SerializeToString())
            began = time.process_time()
            found = np.array(OnnxPairs(path, tokens).logits(pairs)).reshape(len(queries), -1)
            spent = 1000 * (time.process_time() - began) / len(pairs)
            print(
                f"{scheme}: {path.stat().st_size / 1e6:.1f} MB, CPU {spent:.1f} ms a pair, "
                f"mean difference of a logit {np.abs(found - reference).mean():.3f}"
            )
            _print(figures(corpus, queries, places, found))
    options.out.write_bytes(build(trained, options.scheme).SerializeToString())
    digest = hashlib.sha256(options.out.read_bytes()).hexdigest()
    print(f"{options.out}: {options.out.stat().st_size} bytes, sha256 {digest}")
    scale, offset = _calibration(options.work)
    print(f"calibration: scale {scale:.3f}, offset {offset:.3f}")
    if options.citint:
        corpus = corpora.load(options.work / "ci")
        _out_of_domain(corpus, OnnxPairs(options.out, tokens), options.citint)


def _out_of_domain(corpus: Corpus, model: OnnxPairs, count: int) -> None:
    """A sample of the claims (all of them where ``count`` is as many), always the same."""
    everything = range(len(corpus.queries))
    queries = sorted(random.Random(0).sample(everything, k=min(count, len(everything))))
    places = [candidates(corpus, query) for query in queries]
    found = [model.logits(texts(corpus, q, c)) for q, c in zip(queries, places, strict=True)]
    print(f"citint, {len(queries)} claims")
    _print(figures(corpus, queries, places, np.array(found)))


def _calibration(work: Path) -> tuple[float, float]:
    """Platt's scale and offset on all the logits of claims that were held out."""
    corpus = corpora.load(work / "sf")
    logits, truth = [], []
    for path in sorted(work.glob("fold-*.npz")):
        held = np.load(path)
        for query, places, row in zip(
            held["queries"], held["candidates"], held["logits"], strict=True
        ):
            logits += row.tolist()
            truth += [int(place) in corpus.queries[query].relevant for place in places]
    return platt(np.array(logits), np.array(truth, dtype=float))


def _trained(path: Path) -> CrossEncoder:
    state = torch.load(path)
    layers = 1 + max(int(name.split(".")[1]) for name in state if name.startswith("layers."))
    model = CrossEncoder(Shape(layers=layers))
    model.load_state_dict(state)
    return model.eval()


def _print(rows: dict[str, float]) -> None:
    for name, value in rows.items():
        print(f"  {name:32s} {value:.4f}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--start", type=Path, required=True)
    parser.add_argument("--weights", default="final.pt")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--scheme", default="dynamic", choices=("float", "weights", "dynamic"))
    parser.add_argument("--schemes", nargs="*", default=[], help="compare these on a fold")
    parser.add_argument("--fold", type=int, default=0)
    parser.add_argument("--claims", type=int, default=200, help="how many of the fold's claims")
    parser.add_argument("--citint", type=int, default=0, help="how many claims of citint")
    return parser.parse_args()


if __name__ == "__main__":
    main()
