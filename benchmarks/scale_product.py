"""CiteLoom's own index, in the form of ``scale_peers``, through a workspace of its own."""

import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from scale_data import FILTER, passages

from citeloom.application.index.passage_writer import sparse_text
from citeloom.application.ports.catalogue import SourceStamp, StoredDocument
from citeloom.application.ports.index import EmbeddedPassage, Passage
from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.documents.spans import CharSpan, Chunk, PageSpan, Region, chunk_id
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.search.filters import Filter, parse_clause
from citeloom.domain.search.fusion import Mode, rank
from citeloom.domain.search.request import QueryRequest
from citeloom.infrastructure.composition.application import open_application

DEPTH, POOL = 10, 100
_PROJECT = ProjectId.parse("bench")
_YEARS = Filter(clauses=(parse_clause(f"year={FILTER[0]}..{FILTER[1]}"),))


class Product:
    """As a query does it: passages, sentences and words scored, the best ten fetched, their
    sentences marked."""

    packages = ("citeloom", "qdrant-edge-py")

    def __init__(self, folder: Path) -> None:
        # A query may wait while a graph is built.
        self._application = open_application(folder, {"index": {"wait_seconds": 120.0}})
        self.index = self._application.stores.index
        self.project = next(iter(self._application.stores.catalogue.projects()), None)

    def fill(self, folder: Path) -> float:
        """Seconds that the index took; making BM25 weights and catalogue entries apart."""
        self.project, embedder = self._application.projects.opener.create(_PROJECT)
        model = embedder.model
        dense = np.load(folder / "dense.npy")
        sentences = np.load(folder / "sentences.npy", mmap_mode="r")
        spent = 0.0
        lengths: list[int] = []  # of the first document's passages, which are as all others
        for document, group in groupby(passages(folder), key=lambda p: p["document"]):
            document_id = f"{document:064x}"
            rows = list(group)
            chunks = [_passage(row, document_id, model.fingerprint) for row in rows]
            weigh = self._application.models.sparse
            lengths = lengths or [weigh.length(p.chunk.text, "en") for p in chunks]
            words = weigh.embed(map(sparse_text, chunks), "en", sum(lengths) / len(lengths))
            embedded = [
                EmbeddedPassage(
                    p, dense[row["number"]], w, list(sentences[row["number"]].astype(np.float32))
                )
                for row, p, w in zip(rows, chunks, words, strict=True)
            ]
            began = time.perf_counter()
            with self._open() as collection:
                collection.replace_document(document_id, embedded)
                if document % 25 == 0:
                    collection.flush()
            spent += time.perf_counter() - began
            self._application.stores.catalogue.put_document(_stored(document_id, rows[0]["year"]))
        began = time.perf_counter()
        with self._open() as collection:
            collection.flush()
        self._await_server()
        return spent + time.perf_counter() - began

    def _await_server(self) -> None:
        """Until a server has built its graphs."""
        options = self._application.settings.index
        if not options.url:
            return
        from qdrant_client import QdrantClient, models

        key = options.api_key.get_secret_value() or None
        client = QdrantClient(url=options.url, api_key=key, timeout=60)
        while client.get_collection(self.project.collection).status is not (
            models.CollectionStatus.GREEN
        ):
            time.sleep(0.5)

    def dense(self, vector: Any) -> list[int]:
        return self._found(vector, None, Mode.DENSE, Filter())

    def nearest(self, vector: Any) -> list[int]:
        """By the passages' vectors alone: what the recall of the index is measured by."""
        with self._open() as collection:
            found = collection.search(dense=vector, sparse=None, filter=Filter(), limit=POOL)
            return _numbers(collection.fetch([c.id for c in found[:DEPTH]]))

    def sparse(self, text: str) -> list[int]:
        return self._found(None, text, Mode.SPARSE, Filter())

    def hybrid(self, vector: Any, text: str, years: Any = None) -> list[int]:
        return self._found(vector, text, Mode.HYBRID, _YEARS if years else Filter())

    def query(self, text: str) -> None:
        """The whole verb: embedding, fusion, folding of copies, citation."""
        self._application.search.query(
            QueryRequest(project_id=_PROJECT, query_text=text, top_k=DEPTH)
        )

    def optimize(self) -> bool:
        return self.index.optimize(self.project.collection, dimension=self._dimension)

    def drop(self) -> None:
        """A server keeps what it has beyond the benchmark's folder."""
        self.index.drop(self.project.collection)

    def close(self) -> None:
        self._application.close()

    @property
    def _dimension(self) -> int:
        return self.project.embedding_model.dimension

    def _open(self) -> Any:
        return self.index.open(self.project.collection, dimension=self._dimension)

    def _found(self, vector: Any, text: str | None, mode: Mode, filter: Filter) -> list[int]:
        words = self._application.models.sparse.embed_query(text, ["en"]) if text else None
        with self._open() as collection:
            found = collection.search(dense=vector, sparse=words, filter=filter, limit=POOL)
            best = [hit.id for hit in rank(found, mode)[:DEPTH]]
            passages = collection.fetch(best)
            if vector is not None:
                collection.sentence_scores(vector, best)
        return _numbers(passages)


def _numbers(found: list[Passage]) -> list[int]:
    return [int(p.chunk.section_path[0]) for p in found]


def _passage(row: dict[str, Any], document_id: str, model: str) -> Passage:
    text = " ".join(row["sentences"])
    number = row["number"]
    page = PageSpan(start=number % 40 + 1, end=number % 40 + 1)
    section = (str(number),)
    return Passage(
        chunk=Chunk(
            id=chunk_id(document_id, page, section, model, number % 40),
            doc_id=document_id,
            chunk_idx=number % 40,
            text=text,
            char_span=CharSpan(start=0, end=len(text)),
            page_span=page,
            page_labels=(str(page.start),),
            regions=(Region(page=page.start, bbox=(72.0, 72.0, 500.0, 300.0)),),
            section_path=section,
        ),
        title=f"Paper {row['document']}",
        source_path=f"/papers/{row['document']}.pdf",
        language="en",
        citation=CitationMeta(
            citekey=f"key{row['document']}",
            title=f"Paper {row['document']}",
            authors=("Author, A.",),
            year=row["year"],
        ),
        sentences=tuple(_spans(row["sentences"])),
    )


def _spans(sentences: list[str]) -> Iterator[CharSpan]:
    start = 0
    for each in sentences:
        yield CharSpan(start=start, end=start + len(each))
        start += len(each) + 1


def _stored(document_id: str, year: int) -> StoredDocument:
    return StoredDocument(
        project_id=_PROJECT,
        document_id=document_id,
        mime_type="application/pdf",
        pages=40,
        chunks=40,
        language="en",
        sources=(SourceStamp(path=f"/papers/{document_id[-6:]}.pdf", size=1, mtime_ns=1),),
        conversion="benchmark",
        chunking="benchmark",
        embedding=json.dumps(year),
        stored_at=datetime.now(UTC),
    )
