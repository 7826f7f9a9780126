"""What the product's first stage finds for the claims of SciFact and citint, kept on disk.

For each corpus ``NAME.json``: ``titles`` by document, and for each query its ``text``, ``relevant``
documents, the first ``documents`` with their ``scores``, and the ``evidence`` of these and of the
relevant ones: sentences with their cosines. Beside it ``NAME.npz``: passages' vectors with their
``documents``, and the vectors of the ``sentences`` with theirs. Chunks, words, vectors and fusion
are the product's; its index is not used, so that the scores of BM25 are summed here.
"""

import json
import math
import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from numpy.typing import NDArray

from citeloom.application.index.passage_writer import _sentences, sparse_text
from citeloom.application.ports.index import Passage
from citeloom.domain.documents.spans import ChunkPosition
from citeloom.domain.search.fusion import Mode, Scored, rank
from citeloom.domain.search.ranking import smoothed_by_neighbours
from citeloom.infrastructure.ingest.chunking.structural import StructuralChunker
from citeloom.infrastructure.models.embedding.bm25 import Bm25Embedder
from citeloom.infrastructure.models.embedding.bundled_embedder import BundledEmbedder
from citeloom_evaluation.domain.dataset import Record
from citeloom_evaluation.infrastructure import RecordConverter
from corpus import read

# Chunks a side, as `citeloom evaluate` asks for, and documents that are kept.
SIDE = 200
KEPT = 50
# Only the sentences of so many chunks a query, by passage and words alone, get vectors.
LIKELY = 40

# What stands for a citation in citint's claims, the brackets around it included.
_MARKS = re.compile(r"\[[^\[\]]*<\|[^\[\]]*\]|<\|[a-z_]+\|>")
_EMPTY = re.compile(r"\(\s*\)|\[\s*\]")

Rows = list[dict]
Floats = NDArray[np.float32]


def write(data: Path, work: Path, citint: int) -> None:
    """SciFact with all its training claims as ``sf``, citint with ``citint`` of its as ``ci``."""
    documents, queries = _scifact(data)
    _candidates(work / "sf.json", documents, queries)
    documents, queries = _citint(data)
    _candidates(work / "ci.json", documents, random.Random(0).sample(queries, citint))


@dataclass(frozen=True)
class Chunks:
    """``documents`` and ``places`` say where each stands, ``passages`` what it is."""

    passages: list[Passage]
    documents: list[int]
    places: list[int]

    def sentences(self, number: int) -> list[str]:
        passage = self.passages[number]
        return [passage.chunk.text[span.start : span.end] for span in passage.sentences]


def chunks(documents: Rows, embedder: BundledEmbedder) -> Chunks:
    found = Chunks([], [], [])
    chunker = StructuralChunker()
    for number, row in enumerate(documents):
        record = Record(id=row["id"], title=row["title"], text=row["text"])
        job = SimpleNamespace(source=str(number), document_id=f"{number:064x}")
        document = RecordConverter({str(number): record})._convert(job)
        for place, chunk in enumerate(chunker.chunk(document, embedder.model, embedder.tokens)):
            found.passages.append(
                Passage(
                    chunk=chunk,
                    title=document.title,
                    source_path=row["id"],
                    language="en",
                    citation=None,
                    sentences=_sentences(chunk),
                )
            )
            found.documents.append(number)
            found.places.append(place)
    return found


def _candidates(path: Path, documents: Rows, queries: Rows) -> None:
    embedder = BundledEmbedder()
    pool = chunks(documents, embedder)
    words = bm25(pool.passages, [row["text"] for row in queries])
    asked = _vectors(embedder, [row["text"] for row in queries])
    passages = _vectors(embedder, [one.embedding_text() for one in pool.passages])
    likely: set[int] = set()
    for query, said in zip(asked, words, strict=True):
        likely.update(_likely(passages @ query, said))
    texts = list(dict.fromkeys(s for number in sorted(likely) for s in pool.sentences(number)))
    sentences = _vectors(embedder, texts)
    _keep(path.with_suffix(".npz"), pool, passages, texts, sentences)
    place = {row["id"]: number for number, row in enumerate(documents)}
    rows = []
    for row, query, said in zip(queries, asked, words, strict=True):
        relevant = sorted({place[id] for id in row["relevant"]})
        cosines = dict(zip(texts, (sentences @ query).tolist(), strict=True))
        found = first_stage(pool, passages @ query, said, cosines, likely)
        kept = list(found)[:KEPT]
        rows.append(
            {
                "id": row["id"],
                "text": row["text"],
                "relevant": relevant,
                "documents": kept,
                "scores": [found[document] for document in kept],
                "evidence": _evidence(pool, {*kept, *relevant}, cosines),
            }
        )
    titles = [row["title"] for row in documents]
    path.write_text(json.dumps({"titles": titles, "queries": rows}), encoding="utf-8")


def _keep(
    path: Path, pool: Chunks, passages: Floats, texts: Sequence[str], vectors: Floats
) -> None:
    document = {s: pool.documents[n] for n in range(len(pool.passages)) for s in pool.sentences(n)}
    np.savez(
        path,
        passages=passages,
        documents=np.array(pool.documents),
        sentences=np.array(texts),
        vectors=vectors,
        told_by=np.array([document[text] for text in texts]),
    )


def first_stage(
    pool: Chunks, dense: Floats, words: Floats, cosines: dict[str, float], likely: set[int]
) -> dict[int, float]:
    """Documents with the score of their best chunk, best first, as a hybrid search ranks them."""
    said = [int(n) for n in np.argsort(-words, kind="stable")[:SIDE] if words[n] > 0]
    numbers = sorted({*np.argsort(-dense, kind="stable")[:SIDE].tolist(), *said})
    scored = [
        Scored(
            str(n),
            float(dense[n]),
            float(words[n]) if words[n] > 0 else None,
            max((cosines[s] for s in pool.sentences(n)), default=None) if n in likely else None,
        )
        for n in numbers
    ]
    best = [hit.id for hit in rank(scored, Mode.HYBRID)[:SIDE]]
    where = {id: ChunkPosition(str(pool.documents[int(id)]), pool.places[int(id)]) for id in best}
    found: dict[int, float] = {}
    for hit in rank(smoothed_by_neighbours(scored, where), Mode.HYBRID):
        found.setdefault(pool.documents[int(hit.id)], hit.score)
    return found


def bm25(passages: Sequence[Passage], queries: Sequence[str]) -> Floats:
    """Queries x chunks, the inverse document frequency as the index has it."""
    embedder = Bm25Embedder()
    fields = [sparse_text(passage) for passage in passages]
    average = float(np.mean([embedder.length(text.body, "en") for text in fields]))
    weights = [
        dict(zip(v.indices, v.values, strict=True)) for v in embedder.embed(fields, "en", average)
    ]
    found = Counter(term for chunk in weights for term in chunk)
    postings: dict[int, list[tuple[int, float]]] = {}
    for number, chunk in enumerate(weights):
        for term, weight in chunk.items():
            postings.setdefault(term, []).append((number, weight))
    scores = np.zeros((len(queries), len(passages)), dtype=np.float32)
    for row, query in enumerate(queries):
        asked = embedder.embed_query(query, ["en"])
        for term, share in zip(asked.indices, asked.values, strict=True):
            idf = math.log(1 + (len(passages) - found[term] + 0.5) / (found[term] + 0.5))
            for number, weight in postings.get(term, ()):
                scores[row, number] += share * idf * weight
    return scores


def _likely(dense: Floats, words: Floats) -> list[int]:
    sides = [dense, words]
    numbers = np.array(sorted({int(n) for side in sides for n in np.argsort(-side)[:100]}))
    mixed = sum(_stretched(side[numbers]) for side in sides)
    return numbers[np.argsort(-mixed)[:LIKELY]].tolist()


def _stretched(scores: Floats) -> Floats:
    low, high = scores.min(), scores.max()
    return (scores - low) / (high - low + 1e-9)


def _evidence(pool: Chunks, documents: set[int], cosines: dict[str, float]) -> dict:
    found: dict[int, dict[str, float]] = {document: {} for document in documents}
    for number, document in enumerate(pool.documents):
        if document in documents:
            for sentence in pool.sentences(number):
                found[document][sentence] = cosines.get(sentence, -1.0)
    return {document: list(sentences.items()) for document, sentences in found.items()}


def _vectors(embedder: BundledEmbedder, texts: Sequence[str]) -> Floats:
    return np.array(list(embedder.embed(texts)), dtype=np.float32)


def _scifact(data: Path) -> tuple[Rows, Rows]:
    folder = data / "scifact"
    relevant: dict[str, list[str]] = {}
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, score = line.split("\t")
        if int(score) > 0:
            relevant.setdefault(query, []).append(document)
    documents = [
        {"id": row["_id"], "title": row["title"], "text": row["text"]}
        for row in read(folder / "corpus.jsonl")
    ]
    queries = [
        {"id": row["_id"], "text": row["text"], "relevant": relevant[row["_id"]]}
        for row in read(folder / "queries.jsonl")
    ]
    return documents, queries


def _citint(data: Path) -> tuple[Rows, Rows]:
    folder = data / "citint"
    documents = [
        {
            "id": str(row["doc_id"]),
            "title": row["title"],
            "text": " ".join(sentence.strip() for sentence in row["abstract"]),
        }
        for row in read(folder / "corpus.jsonl")
    ]
    queries = [
        {
            "id": str(row["id"]),
            "text": _unmarked(row["claim"]),
            "relevant": [str(id) for id in row["cited_doc_ids"]],
        }
        for row in read(folder / "claims_train.jsonl")
    ]
    return documents, queries


def _unmarked(claim: str) -> str:
    text = _EMPTY.sub(" ", _MARKS.sub(" ", claim))
    return re.sub(r"\s+([.,;)])", r"\1", re.sub(r"\s+", " ", text)).strip()
