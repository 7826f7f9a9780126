"""Turn trained weights into the ONNX file that is shipped, and say what that costs.

    python export.py --work WORK --start START --weights final.pt --out model.onnx

Prints size, sha256, CPU time of a pair, and with ``--schemes`` the quality of each scheme on the
claims that a fold held out (``--fold``). With ``--citint`` prints the figures out of domain.
"""

import argparse
import hashlib
import time
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import onnxruntime
import torch

import corpus as corpora
from calibrate import platt
from citeloom.domain.reranking import CANDIDATES
from corpus import Corpus
from evaluate import figures, gain, table
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
    if options.schemes:
        _compare(options, tokens)
    trained = _trained(options.work / options.weights)
    options.out.write_bytes(build(trained, options.scheme).SerializeToString())
    digest = hashlib.sha256(options.out.read_bytes()).hexdigest()
    print(f"{options.out}: {options.out.stat().st_size} bytes, sha256 {digest}")
    scale, offset = _calibration(options.work)
    print(f"calibration: scale {scale:.3f}, offset {offset:.3f}")
    if options.citint:
        _out_of_domain(
            corpora.load(options.work / "ci.json"), OnnxPairs(options.out, tokens), options.citint
        )


def _compare(options: argparse.Namespace, tokens: PairTokens) -> None:
    corpus = corpora.load(options.work / "sf.json")
    held = np.load(options.work / f"fold-{options.fold}.npz")
    queries = [corpus.queries[place] for place in held["queries"][: options.claims]]
    reference = held["logits"][: options.claims]
    print(f"bfloat16 of training, {len(queries)} claims of fold {options.fold}")
    _print(figures(queries, reference.tolist()))
    fold = _trained(options.work / f"fold-{options.fold}.pt")
    for scheme in options.schemes:
        path = options.work / f"{scheme}.onnx"
        path.write_bytes(build(fold, scheme).SerializeToString())
        model, began = OnnxPairs(path, tokens), time.process_time()
        found = np.array([_scores(corpus, model, query) for query in queries])
        spent = 1000 * (time.process_time() - began) / found.size
        print(
            f"{scheme}: {path.stat().st_size / 1e6:.1f} MB, CPU {spent:.1f} ms a pair, "
            f"mean difference of a logit {np.abs(found - reference).mean():.3f}"
        )
        _print(figures(queries, found.tolist()))


def _scores(corpus: Corpus, model: OnnxPairs, query: corpora.Query) -> list[float]:
    documents = query.documents[:CANDIDATES]
    return model.logits([(query.text, corpus.text(query, document)) for document in documents])


def _out_of_domain(corpus: Corpus, model: OnnxPairs, count: int) -> None:
    queries = corpus.queries[:count]
    found = table(queries, [_scores(corpus, model, query) for query in queries])
    print(f"citint, {len(queries)} claims: first stage {found[0.0].mean():.4f}")
    for share, values in found.items():
        print(f"  share {share:g}: {gain(values, found[0.0])}")


def _calibration(work: Path) -> tuple[float, float]:
    """Platt's scale and offset on all the logits of claims that were held out."""
    corpus = corpora.load(work / "sf.json")
    logits, truth = [], []
    for path in sorted(work.glob("fold-*.npz")):
        held = np.load(path)
        for place, row in zip(held["queries"], held["logits"], strict=True):
            query = corpus.queries[place]
            logits += row.tolist()
            truth += [document in query.relevant for document in query.documents[: len(row)]]
    return platt(np.array(logits), np.array(truth, dtype=float))


def _trained(path: Path) -> CrossEncoder:
    state = torch.load(path)
    layers = 1 + max(int(name.split(".")[1]) for name in state if name.startswith("layers."))
    model = CrossEncoder(Shape(layers=layers))
    model.load_state_dict(state)
    return model.eval()


def _print(rows: Mapping[str, float]) -> None:
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
