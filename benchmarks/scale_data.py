"""Passages for the scale benchmark: real sentences with their real vectors, mixed anew.

A passage is two runs of sentences, of 4 unless told, from different places of a BEIR dataset,
each vector moved a little (cosine about 0.93 to the true one), so that a small dataset fills a
large index whose vectors still lie as real ones do: in clusters, of all sizes. Its own vector is
the mean of theirs. 40 passages are a document. What was embedded is kept in the cache.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

RUN = 4
PASSAGES_PER_DOCUMENT = 40
# The share of a passage's neighbours that the filter of the benchmark lets through: 4 of 20 years.
YEARS = (2000, 2019)
FILTER = (2015, 2018)
_NOISE = 0.02


def embed_dataset(dataset: Path, cache: Path, sentences: int, queries: int) -> None:
    """Split and embed the dataset as the product does; nothing if the cache has it."""
    if (cache / "queries.npy").is_file():
        return
    from citeloom.domain.text.sentences import sentence_spans
    from citeloom.infrastructure.models.embedding.bundled_embedder import BundledEmbedder

    found: list[str] = []
    for line in _lines(dataset / "corpus.jsonl"):
        text = f"{line.get('title', '')}. {line['text']}"
        found += [text[start:end] for start, end in sentence_spans(text)]
        if len(found) >= sentences:
            break
    asked = [line["text"] for line in _lines(dataset / "queries.jsonl")][:queries]
    embedder = BundledEmbedder(threads=2)
    cache.mkdir(parents=True, exist_ok=True)
    _write(cache / "sentences.json", found)
    _write(cache / "queries.json", asked)
    np.save(cache / "sentences.npy", np.array(list(embedder.embed(found)), dtype=np.float32))
    np.save(
        cache / "queries.npy", np.array([embedder.embed_query(q) for q in asked], dtype=np.float32)
    )


def make_passages(cache: Path, folder: Path, size: int, *, run: int = RUN, depth: int = 10) -> None:
    """Write ``size`` passages of two runs of ``run`` sentences, the questions, and which passages
    are the nearest of each."""
    texts = json.loads((cache / "sentences.json").read_text("utf-8"))
    vectors = np.load(cache / "sentences.npy")
    dice = np.random.default_rng(size)
    starts = dice.integers(0, len(texts) - run, (size, 2))
    dense = np.empty((size, vectors.shape[1]), dtype=np.float32)
    runs = np.empty((size, 2 * run, vectors.shape[1]), dtype=np.float16)
    with open(folder / "passages.jsonl", "w", encoding="utf-8") as file:
        for number in range(size):
            taken = [start + step for start in starts[number] for step in range(run)]
            moved = vectors[taken]
            moved = moved + dice.normal(0, _NOISE, moved.shape).astype(np.float32)
            moved /= np.linalg.norm(moved, axis=1, keepdims=True)
            mean = moved.mean(axis=0)
            runs[number], dense[number] = moved, mean / np.linalg.norm(mean)
            document = number // PASSAGES_PER_DOCUMENT
            first, last = YEARS
            passage = {
                "number": number,
                "document": document,
                "year": first + document % (last - first + 1),
                "sentences": [texts[each] for each in taken],
            }
            file.write(json.dumps(passage, ensure_ascii=False) + "\n")
    np.save(folder / "dense.npy", dense)
    np.save(folder / "sentences.npy", runs)
    queries = np.load(cache / "queries.npy")
    scores = queries @ dense.T
    np.save(folder / "queries.npy", queries)
    np.save(folder / "truth.npy", np.argsort(-scores, axis=1)[:, :depth])
    _write(folder / "queries.json", json.loads((cache / "queries.json").read_text("utf-8")))


def passages(folder: Path) -> Iterator[dict[str, Any]]:
    """As written by ``make_passages``."""
    return _lines(folder / "passages.jsonl")


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with open(path, encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def _write(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
