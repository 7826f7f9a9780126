"""Queries with what the first stage finds for them, as ``features.py`` writes it."""

import json
from dataclasses import dataclass
from pathlib import Path

from citeloom.domain.search.ranking import evidence_text


@dataclass(frozen=True)
class Query:
    """``documents`` are the first that the first stage finds, best first; ``evidence`` has the
    sentences of these and of the relevant ones with their cosines to the query."""

    id: str
    text: str
    relevant: frozenset[int]
    documents: list[int]
    scores: list[float]
    evidence: dict[int, list[tuple[str, float]]]


@dataclass(frozen=True)
class Corpus:
    titles: list[str]
    queries: list[Query]

    def text(self, query: Query, document: int, title: bool = True) -> str:
        """What the reranker reads of a document."""
        sentences, cosines = zip(*query.evidence[document], strict=True)
        return evidence_text(self.titles[document] if title else "", sentences, cosines)


def load(path: Path) -> Corpus:
    raw = json.loads(path.read_text(encoding="utf-8"))
    queries = [
        Query(
            row["id"],
            row["text"],
            frozenset(row["relevant"]),
            row["documents"],
            row["scores"],
            {int(document): found for document, found in row["evidence"].items()},
        )
        for row in raw["queries"]
    ]
    return Corpus(raw["titles"], queries)


def read(path: Path) -> list[dict]:
    """The rows of a .jsonl file."""
    with path.open(encoding="utf-8") as stream:
        return [json.loads(line) for line in stream]
