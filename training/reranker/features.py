"""Vectors and BM25 scores of the corpora, by the product's own embedders, kept on disk.

For each corpus a folder: ``docs.jsonl`` (id, title, text, sentences), ``queries.jsonl`` (id,
text, relevant), ``q.npy``, ``p.npy``, ``s.npy`` (float32, rows of length 1: queries, title and
text, sentences in the documents' order), ``bm25.npy`` (queries x documents, the inverse
document frequency included).
"""

import json
import math
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from citeloom.infrastructure.embedding.minilm import BundledEmbedder
from citeloom.infrastructure.embedding.sparse import Bm25Embedder

# What stands for a citation in citint's claims, the brackets around it included.
_MARKS = re.compile(r"\[[^\[\]]*<\|[^\[\]]*\]|<\|[a-z_]+\|>")
_EMPTY = re.compile(r"\(\s*\)|\[\s*\]")

Rows = list[dict]


def write(data: Path, work: Path) -> None:
    """SciFact with its training claims as ``sf``, citint with its as ``ci``."""
    for name, (documents, queries) in {"sf": _scifact(data), "ci": _citint(data)}.items():
        folder = work / name
        folder.mkdir(parents=True, exist_ok=True)
        _features(folder, documents, queries)


def _scifact(data: Path) -> tuple[Rows, Rows]:
    folder = data / "scifact"
    relevant: dict[str, list[str]] = {}
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, score = line.split("\t")
        if int(score) > 0:
            relevant.setdefault(query, []).append(document)
    documents = [
        {
            "id": row["_id"],
            "title": row["title"],
            "text": row["text"],
            "sentences": [row["text"][a:b].strip() for a, b in row["sentence_spans"]],
        }
        for row in _read(folder / "corpus.jsonl")
    ]
    queries = [
        {"id": row["_id"], "text": row["text"], "relevant": relevant[row["_id"]]}
        for row in _read(folder / "queries.jsonl")
    ]
    return documents, queries


def _citint(data: Path) -> tuple[Rows, Rows]:
    folder = data / "citint"
    documents = [
        {
            "id": str(row["doc_id"]),
            "title": row["title"],
            "text": " ".join(sentence.strip() for sentence in row["abstract"]),
            "sentences": [sentence.strip() for sentence in row["abstract"]],
        }
        for row in _read(folder / "corpus.jsonl")
    ]
    queries = [
        {
            "id": str(row["id"]),
            "text": _unmarked(row["claim"]),
            "relevant": [str(id) for id in row["cited_doc_ids"]],
        }
        for row in _read(folder / "claims_train.jsonl")
    ]
    return documents, queries


def _unmarked(claim: str) -> str:
    text = _EMPTY.sub(" ", _MARKS.sub(" ", claim))
    return re.sub(r"\s+([.,;)])", r"\1", re.sub(r"\s+", " ", text)).strip()


def _features(folder: Path, documents: Rows, queries: Rows) -> None:
    for name, rows in (("docs", documents), ("queries", queries)):
        with (folder / f"{name}.jsonl").open("w", encoding="utf-8") as stream:
            stream.writelines(json.dumps(row) + "\n" for row in rows)
    passages = [f"{row['title']} {row['text']}".strip() for row in documents]
    asked = [row["text"] for row in queries]
    np.save(folder / "bm25.npy", _bm25(passages, asked))
    embedder = BundledEmbedder()
    sentences = [sentence for row in documents for sentence in row["sentences"]]
    for name, texts in (("q", asked), ("p", passages), ("s", sentences)):
        np.save(folder / f"{name}.npy", np.array(list(embedder.embed(texts)), dtype=np.float32))


def _bm25(passages: Sequence[str], queries: Sequence[str]) -> np.ndarray:
    embedder = Bm25Embedder()
    weights = [dict(zip(v.indices, v.values, strict=True)) for v in embedder.embed(passages)]
    found = Counter(term for document in weights for term in document)
    postings: dict[int, list[tuple[int, float]]] = {}
    for number, document in enumerate(weights):
        for term, weight in document.items():
            postings.setdefault(term, []).append((number, weight))
    scores = np.zeros((len(queries), len(passages)), dtype=np.float32)
    for row, query in enumerate(queries):
        for term in embedder.embed_query(query).indices:
            idf = math.log(1 + (len(passages) - found[term] + 0.5) / (found[term] + 0.5))
            for number, weight in postings.get(term, ()):
                scores[row, number] += idf * weight
    return scores


def _read(path: Path) -> Rows:
    with path.open(encoding="utf-8") as stream:
        return [json.loads(line) for line in stream]
