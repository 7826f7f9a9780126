"""Claims with the sentences of one source and what people said of them.

SciFact's training claims (Wadden et al. 2020), and two sets that nothing is trained on:
Citation-Integrity's claims (Sarol et al. 2024) and HealthVer's (Sarrouti et al. 2021). Thresholds
may be tuned on one half of a set; ``unseen`` tells the other.
"""

import csv
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import GroupKFold

from citeloom.domain.text.sentences import sentence_spans

LABELS = ("NEI", "SUPPORT", "CONTRADICT")
SEED = 7
FOLDS = 5
# What stands for a citation in Citation-Integrity's claims, the brackets around it included.
_MARKS = re.compile(r"\[[^\[\]]*<\|[^\[\]]*\]|<\|[a-z_]+\|>")
_EMPTY = re.compile(r"\(\s*\)|\[\s*\]")


class Labelled(NamedTuple):
    """``rationales`` are sets of sentences (from 0) that suffice for the label, each."""

    claim_id: str
    document_id: str
    claim: str
    sentences: tuple[str, ...]
    label: int
    rationales: tuple[tuple[int, ...], ...] = ()


def scifact(folder: Path) -> list[Labelled]:
    """Each claim with each abstract that it cites."""
    cited: dict[str, list[str]] = {}
    with (folder / "qrels.tsv").open() as file:
        for row in csv.DictReader(file, delimiter="\t"):
            cited.setdefault(row["query-id"], []).append(row["corpus-id"])
    return with_documents(folder, cited)


def with_documents(folder: Path, wanted: Mapping[str, Sequence[str]]) -> list[Labelled]:
    """SciFact's claims with abstracts; NEI where people found no evidence or did not look."""
    claims, corpus = _by(folder / "claims.jsonl", "id"), _by(folder / "corpus.jsonl", "_id")
    found = []
    for claim, documents in wanted.items():
        said, settled = claims[claim]["claim"], claims[claim]["evidence"]
        for document in documents:
            sets = settled.get(document, [])
            label = LABELS.index(sets[0]["label"]) if sets else 0
            row = corpus[document]
            sentences = tuple(row["text"][a:b] for a, b in row["sentence_spans"])
            rationales = tuple(tuple(one["sentences"]) for one in sets)
            found.append(Labelled(claim, document, said, sentences, label, rationales))
    return found


def citint(folder: Path) -> list[Labelled]:
    """Each sentence that cites with the sentences of the cited paper that come with it."""
    corpus = _by(folder / "corpus.jsonl", "doc_id")
    found = []
    for id, row in _by(folder / "claims_dev.jsonl", "id").items():
        for document in map(str, row["cited_doc_ids"]):
            sets = row["evidence"].get(document, [])
            label = _index(sets[0]["label"]) if sets else 0
            sentences = tuple(one.strip() for one in corpus[document]["abstract"])
            found.append(Labelled(id, document, _unmarked(row["claim"]), sentences, label))
    return found


def healthver(path: Path) -> list[Labelled]:
    """Each pair of claim and passage, the passage cut into sentences as the product does."""
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
        row = json.loads(line)
        text = row["evidence"]
        sentences = tuple(text[a:b] for a, b in sentence_spans(text))
        id = sha256(text.encode()).hexdigest()[:12]
        found.append(Labelled(str(number), id, row["claim"], sentences, _index(row["label"])))
    return found


def named(data: Path, name: str) -> list[Labelled]:
    """SciFact (``sf``), HealthVer (``hv``) or Citation-Integrity (``ci``)."""
    if name == "sf":
        return scifact(data / "scifact")
    if name == "hv":
        return healthver(data / "claims" / "healthver_dev.jsonl")
    return citint(data / "citint")


def closeness(rows: Sequence[Labelled], kept: Path | None = None) -> list[np.ndarray]:
    """The cosine of each sentence to its claim, by the bundled model; kept as ``kept``."""
    from citeloom.infrastructure.models.embedding.bundled_embedder import BundledEmbedder

    if kept is not None and kept.exists():
        with np.load(kept) as file:
            return [file[str(number)] for number in range(len(rows))]
    texts = dict.fromkeys(text for row in rows for text in (row.claim, *row.sentences))
    vectors = dict(zip(texts, map(np.asarray, BundledEmbedder().embed(list(texts))), strict=True))
    found = [
        np.array([max(0.0, float(vectors[one] @ vectors[row.claim])) for one in row.sentences])
        for row in rows
    ]
    if kept is not None:
        np.savez(kept, **{str(number): one for number, one in enumerate(found)})
    return found


def folds(rows: Sequence[Labelled]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Places of the pairs to learn from and of those held out: neither claims nor documents in
    common."""
    yield from GroupKFold(FOLDS).split(rows, groups=groups(rows))


def unseen(rows: Sequence[Labelled]) -> np.ndarray:
    """Which pairs are in the half on which nothing is tuned: by a hash of the claim."""
    return np.array([sha256(row.claim.encode()).digest()[0] % 2 == 1 for row in rows])


def groups(rows: Sequence[Labelled]) -> np.ndarray:
    """A number for each pair; those that share a claim or a document have the same."""
    parent: dict[str, str] = {}

    def root(name: str) -> str:
        while parent.setdefault(name, name) != name:
            name = parent[name]
        return name

    for row in rows:
        parent[root(f"c{row.claim_id}")] = root(f"d{row.document_id}")
    roots = [root(f"c{row.claim_id}") for row in rows]
    numbers = {name: n for n, name in enumerate(dict.fromkeys(roots))}
    shuffled = np.random.RandomState(SEED).permutation(len(numbers))
    return shuffled[[numbers[name] for name in roots]]


def _index(label: str) -> int:
    return LABELS.index("CONTRADICT" if label == "REFUTE" else label)


def _unmarked(claim: str) -> str:
    text = _EMPTY.sub(" ", _MARKS.sub(" ", claim))
    return re.sub(r"\s+([.,;)])", r"\1", re.sub(r"\s+", " ", text)).strip()


def _by(path: Path, key: str) -> dict[str, Any]:
    with path.open(encoding="utf-8") as file:
        return {str(row[key]): row for row in map(json.loads, file)}
