"""Peers of the retrieval benchmark, and what both sides read of a dataset.

usage: PYTHON benchmarks/retrieval_peers.py bm25s|fastembed DATASET FOLDER

Reads FOLDER/peer-questions.json (text by id) and prints one JSON object: the best documents of
each question. Imports the peers where they run; CiteLoom need not be there for bm25s.
"""

import json
import random
import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

DEPTH = 100
# In at most so many documents a term is a name that somebody looks for.
RARE = 3
_TERM = re.compile(r"(?<![\w-])[^\W_]+(?:[-/][^\W_]+)*(?![\w-])")
_ODD = re.compile(r"[0-9\u0370-\u03ff]|(?<=.)[A-Z]")
_LETTER = re.compile(r"[^\W\d_]")


def documents(dataset: Path) -> Iterator[tuple[str, str]]:
    """Id and text, the title in front."""
    with (dataset / "corpus.jsonl").open(encoding="utf-8") as stream:
        for line in stream:
            row = json.loads(line)
            yield str(row["_id"]), f"{row.get('title', '')} {row['text']}".strip()


def sample(dataset: Path, folder: Path, count: int) -> Path:
    """The dataset with its first documents only; judgments of others are left out by readers."""
    folder.mkdir(parents=True, exist_ok=True)
    with (dataset / "corpus.jsonl").open(encoding="utf-8") as stream:
        (folder / "corpus.jsonl").write_text("".join(islice(stream, count)), encoding="utf-8")
    for name in ("queries.jsonl", "qrels.tsv"):
        if (dataset / name).is_file():
            shutil.copyfile(dataset / name, folder / name)
    if (dataset / "qrels").is_dir():
        shutil.copytree(
            dataset / "qrels", folder / "qrels", dirs_exist_ok=True, copy_function=shutil.copyfile
        )
    return folder


def exact_terms(dataset: Path, count: int) -> dict[str, set[str]]:
    """Terms with a digit, a Greek letter or capitals within, and the ids of the one to three
    documents that have each (in whatever case); always the same ``count``."""
    having: dict[str, set[str]] = {}
    written: dict[str, str] = {}
    for id, text in documents(dataset):
        for term in sorted(set(_TERM.findall(text))):
            having.setdefault(term.casefold(), set()).add(id)
            if 3 <= len(term) <= 20 and _LETTER.search(term) and _ODD.search(term):
                written.setdefault(term.casefold(), term)
    rare = sorted(term for folded, term in written.items() if len(having[folded]) <= RARE)
    chosen = random.Random(0).sample(rare, min(count, len(rare)))
    return {term: having[term.casefold()] for term in chosen}


def bm25s(dataset: Path, _folder: Path, questions: Mapping[str, str]) -> dict[str, list[str]]:
    import bm25s as engine
    import Stemmer

    ids, texts = zip(*documents(dataset), strict=True)
    stemmer = Stemmer.Stemmer("english")

    def tokens(texts: Sequence[str]) -> Any:
        return engine.tokenize(list(texts), stopwords="en", stemmer=stemmer, show_progress=False)

    retriever = engine.BM25(method="lucene", k1=1.2, b=0.75)
    retriever.index(tokens(texts), show_progress=False)
    depth = min(DEPTH, len(ids))
    found: dict[str, list[str]] = {}
    for id, text in questions.items():
        places, scores = retriever.retrieve(tokens([text]), k=depth, show_progress=False)
        found[id] = [ids[n] for n, s in zip(places[0], scores[0], strict=True) if s > 0]
    return found


def fastembed(dataset: Path, folder: Path, questions: Mapping[str, str]) -> dict[str, list[str]]:
    import numpy as np

    from citeloom.infrastructure.models.embedding import bundled_embedder as bundled
    from citeloom.infrastructure.models.embedding.catalogue import FastEmbedEmbedder

    model = folder / "peer-model"
    if not model.is_dir():
        shutil.copytree(bundled.tokenizer_folder(), model)
        shutil.copyfile(bundled.weights_path(), model / "model.onnx")
    embedder = FastEmbedEmbedder(str(model), threads=1)
    ids, texts = zip(*documents(dataset), strict=True)
    kept = folder / f"peer-{len(ids)}.npy"
    if not kept.is_file():
        np.save(kept, np.array(list(embedder.embed(texts)), dtype=np.float32))
    vectors = np.load(kept)
    found: dict[str, list[str]] = {}
    for id, text in questions.items():
        nearest = np.argsort(-(vectors @ np.array(embedder.embed_query(text))), kind="stable")
        found[id] = [ids[n] for n in nearest[:DEPTH]]
    return found


if __name__ == "__main__":
    peer = {"bm25s": bm25s, "fastembed": fastembed}[sys.argv[1]]
    dataset, folder = map(Path, sys.argv[2:4])
    asked = json.loads((folder / "peer-questions.json").read_text(encoding="utf-8"))
    print(json.dumps(peer(dataset, folder, asked)))
