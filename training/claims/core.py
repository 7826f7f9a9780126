"""Fits and measures the weights of ``citeloom.domain.claims.judging``; see README.md."""

import csv
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from citeloom.domain.claims.judging import Evidence, judge, vector
from citeloom.infrastructure.embedding.minilm import BundledEmbedder

LABELS = ("NEI", "SUPPORT", "CONTRADICT")
LEAN = 1.8
SEED = 7


def pairs(data: Path) -> list[tuple[str, str, str]]:
    """(claim id, document id, label) of each cited abstract."""
    claims = _by(data / "claims.jsonl", "id")
    with (data / "qrels.tsv").open() as file:
        rows = [(r["query-id"], r["corpus-id"]) for r in csv.DictReader(file, delimiter="\t")]
    found = []
    for claim, document in rows:
        evidence = claims[claim]["evidence"].get(document)
        found.append((claim, document, evidence[0]["label"] if evidence else "NEI"))
    return found


def measured(data: Path, wanted: Sequence[tuple[str, str, str]]) -> np.ndarray:
    """The features of each pair."""
    claims, corpus = _by(data / "claims.jsonl", "id"), _by(data / "corpus.jsonl", "_id")
    sentences = {
        document: [corpus[document]["text"][a:b] for a, b in corpus[document]["sentence_spans"]]
        for _, document, _ in wanted
    }
    texts = [claims[claim]["claim"] for claim, _, _ in wanted]
    texts += [sentence for one in sentences.values() for sentence in one]
    distinct = list(dict.fromkeys(texts))
    embedder = BundledEmbedder(threads=2)
    vectors = dict(zip(distinct, map(np.asarray, embedder.embed(distinct)), strict=True))
    rows = []
    for claim, document, _ in wanted:
        asked = claims[claim]["claim"]
        evidence = [
            Evidence(text, max(0.0, float(vectors[text] @ vectors[asked])), place)
            for place, text in enumerate(sentences[document])
        ]
        features = judge(asked, evidence).features
        assert features is not None, "an abstract has sentences"
        rows.append(vector(features))
    return np.array(rows)


def groups(wanted: Sequence[tuple[str, str, str]]) -> np.ndarray:
    """A number for each pair; those that share a claim or a document have the same."""
    parent: dict[str, str] = {}

    def root(name: str) -> str:
        while parent.setdefault(name, name) != name:
            name = parent[name]
        return name

    for claim, document, _ in wanted:
        parent[root(f"c{claim}")] = root(f"d{document}")
    roots = [root(f"c{claim}") for claim, _, _ in wanted]
    numbers = {name: n for n, name in enumerate(dict.fromkeys(roots))}
    shuffled = np.random.RandomState(SEED).permutation(len(numbers))
    return shuffled[[numbers[name] for name in roots]]


def model() -> Any:
    return make_pipeline(StandardScaler(), LogisticRegression(C=0.3, max_iter=2000))


def calibration_error(confidence: np.ndarray, right: np.ndarray, bins: int = 10) -> float:
    """Expected calibration error (Naeini, Cooper & Hauskrecht 2015)."""
    error = 0.0
    for low in np.arange(bins) / bins:
        inside = (confidence > low) & (confidence <= low + 1 / bins)
        if inside.any():
            error += inside.mean() * abs(confidence[inside].mean() - right[inside].mean())
    return error


def main(data: Path) -> None:
    wanted = pairs(data)
    values = measured(data, wanted)
    labels = np.array([LABELS.index(label) for _, _, label in wanted])
    shares = np.zeros((len(labels), len(LABELS)))
    for train, test in GroupKFold(5).split(values, labels, groups(wanted)):
        shares[test] = model().fit(values[train], labels[train]).predict_proba(values[test])
    for lean in (1.0, LEAN):
        told = (shares * np.array([1, 1, lean])).argmax(1)
        each = f1_score(labels, told, average=None)
        confidence = shares[np.arange(len(labels)), told]
        error = calibration_error(confidence, told == labels)
        scores = ", ".join(f"{n} {f:.3f}" for n, f in zip(LABELS, each, strict=True))
        print(f"lean {lean}: macro-F1 {each.mean():.3f} ({scores}), calibration error {error:.3f}")
    fitted = model().fit(values, labels)
    scale, regression = fitted[0], fitted[1]
    weights = regression.coef_ / scale.scale_
    intercepts = regression.intercept_ - (weights * scale.mean_).sum(1)
    for n, name in ((1, "SUPPORTED"), (2, "CONTRADICTED")):
        row = [intercepts[n] - intercepts[0], *(weights[n] - weights[0])]
        print(f'"{name}": ({", ".join(f"{value:.2f}" for value in row)}),')


def _by(path: Path, key: str) -> dict[str, Any]:
    with path.open() as file:
        return {str(row[key]): row for row in map(json.loads, file)}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
