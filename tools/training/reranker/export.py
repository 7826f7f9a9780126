"""Turn trained weights into the ONNX file that is shipped, and say what that costs.

    python export.py --work WORK --start START --weights final.pt --out model.onnx

Prints size, sha256, the calibration on the claims of the folds that were run, and the figures of
the file on so many of SciFact's claims (``--scifact``), which it was trained on, and of citint's
(``--citint``). With ``--schemes`` compares these on SciFact's.
"""

import argparse
import hashlib
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnxruntime
import torch

import corpus as corpora
from calibrate import platt
from citeloom.domain.search.ranking import CANDIDATES
from corpus import Corpus, Query
from evaluate import report, table
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
    options.out.write_bytes(build(trained, options.scheme).SerializeToString())
    digest = hashlib.sha256(options.out.read_bytes()).hexdigest()
    print(f"{options.out}: {options.out.stat().st_size} bytes, sha256 {digest}")
    model = OnnxPairs(options.out, tokens)
    corpus = corpora.load(options.work / "sf.json")
    queries = corpus.queries[: options.scifact]
    rows = [_scores(corpus, model, query) for query in queries]
    _print("SciFact", queries, rows)
    _calibrate(corpus, options.work)
    for scheme in options.schemes:
        _compare(corpus, queries, rows, trained, scheme, options.work, tokens)
    if options.citint:
        elsewhere = corpora.load(options.work / "ci.json")
        asked = elsewhere.queries[: options.citint]
        _print("citint", asked, [_scores(elsewhere, model, query) for query in asked])


def _compare(
    corpus: Corpus,
    queries: Sequence[Query],
    reference: Sequence[Sequence[float]],
    trained: CrossEncoder,
    scheme: str,
    work: Path,
    tokens: PairTokens,
) -> None:
    path = work / f"{scheme}.onnx"
    path.write_bytes(build(trained, scheme).SerializeToString())
    model, began = OnnxPairs(path, tokens), time.process_time()
    found = [_scores(corpus, model, query) for query in queries]
    spent = 1000 * (time.process_time() - began) / sum(map(len, found))
    apart = np.mean(
        [np.abs(np.subtract(a, b)).mean() for a, b in zip(found, reference, strict=True)]
    )
    print(
        f"{scheme}: {path.stat().st_size / 1e6:.1f} MB, CPU {spent:.1f} ms a pair, "
        f"mean difference of a logit {apart:.3f}"
    )
    _print(scheme, queries, found)


def _scores(corpus: Corpus, model: OnnxPairs, query: Query) -> list[float]:
    documents = query.documents[:CANDIDATES]
    return model.logits([(query.text, corpus.text(query, document)) for document in documents])


def _calibrate(corpus: Corpus, work: Path) -> None:
    """Platt's scale and offset on the claims that folds held out: the others it was trained on."""
    logits: list[float] = []
    truth: list[bool] = []
    for path in sorted(work.glob("fold-*.npz")):
        held = np.load(path)
        for place, row in zip(held["queries"], held["logits"], strict=True):
            query = corpus.queries[place]
            logits += row.tolist()
            truth += [document in query.relevant for document in query.documents[: len(row)]]
    if not logits:
        print("calibration: none, since no fold was run (train.py --only-folds)")
        return
    scale, offset = platt(np.array(logits), np.array(truth, dtype=float))
    print(f"calibration: scale {scale:.3f}, offset {offset:.3f}")


def _trained(path: Path) -> CrossEncoder:
    state = torch.load(path)
    layers = 1 + max(int(name.split(".")[1]) for name in state if name.startswith("layers."))
    model = CrossEncoder(Shape(layers=layers))
    model.load_state_dict(state)
    return model.eval()


def _print(name: str, queries: Sequence[Query], rows: Sequence[Sequence[float]]) -> None:
    print(*report(name, table(queries, rows)), sep="\n")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--start", type=Path, required=True)
    parser.add_argument("--weights", default="final.pt")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--scheme", default="dynamic", choices=("float", "weights", "dynamic"))
    parser.add_argument("--schemes", nargs="*", default=[], help="compare these")
    parser.add_argument("--scifact", type=int, default=809, help="how many of SciFact's claims")
    parser.add_argument("--citint", type=int, default=0, help="how many claims of citint")
    return parser.parse_args()


if __name__ == "__main__":
    main()
