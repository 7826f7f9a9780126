"""A corpus with its queries, its vectors and its first-stage ranking.

Reads the folder that ``features.py`` writes. Rows of ``passages`` and columns of ``bm25`` are
documents; all vectors have length 1.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

# Passage, BM25, best sentence: the middle of the range that is best without learning.
FIRST_STAGE = (0.30, 0.35, 0.35)


@dataclass(frozen=True)
class Document:
    id: str
    title: str
    sentences: list[str]


@dataclass(frozen=True)
class Query:
    id: str
    text: str
    relevant: frozenset[int]


@dataclass(frozen=True)
class Corpus:
    documents: list[Document]
    queries: list[Query]
    query_vectors: Floats
    passages: Floats
    sentences: Floats
    starts: NDArray[np.int64]
    bm25: Floats

    def sentence_scores(self, vector: Floats, document: int) -> Floats:
        """The cosine of a query's vector to each sentence of a document."""
        first, last = self.starts[document], self.starts[document + 1]
        return self.sentences[first:last] @ vector

    def best_sentence(self, vector: Floats) -> Floats:
        """The best sentence's cosine, for each document; its passage's where it has none."""
        scores = self.sentences @ vector
        empty = self.starts[:-1] == self.starts[1:]
        best = np.zeros(len(self.documents), dtype=np.float32)
        best[~empty] = np.maximum.reduceat(scores, self.starts[:-1][~empty])
        best[empty] = self.passages[empty] @ vector
        return best

    def first_stage(self, query: int, weights: tuple[float, float, float] = FIRST_STAGE) -> Floats:
        """Min-max fusion over the union of what each side finds first; others far below."""
        vector = self.query_vectors[query]
        sides = [self.passages @ vector, self.bm25[query], self.best_sentence(vector)]
        return sum((w * _stretched(s) for w, s in zip(weights, sides, strict=True)), 0.0)


def _stretched(scores: Floats) -> Floats:
    low, high = scores.min(), scores.max()
    return (scores - low) / (high - low) if high > low else np.zeros_like(scores)


def load(folder: Path) -> Corpus:
    documents = [
        Document(row["id"], row["title"], row["sentences"]) for row in _rows(folder / "docs.jsonl")
    ]
    place = {document.id: number for number, document in enumerate(documents)}
    queries = [
        Query(row["id"], row["text"], frozenset(place[id] for id in row["relevant"]))
        for row in _rows(folder / "queries.jsonl")
    ]
    counts = [len(document.sentences) for document in documents]
    return Corpus(
        documents,
        queries,
        np.load(folder / "q.npy"),
        np.load(folder / "p.npy"),
        np.load(folder / "s.npy"),
        np.concatenate([[0], np.cumsum(counts)]),
        np.load(folder / "bm25.npy"),
    )


def _rows(path: Path) -> list[dict]:
    with path.open(encoding="utf-8") as stream:
        return [json.loads(line) for line in stream]
