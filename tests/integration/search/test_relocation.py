"""A project with sentence vectors goes from the engine in the process to a server and back."""

import random
from pathlib import Path

import pytest
from support.builders import a_chunk, a_citation, a_project
from support.in_memory.stores import InMemoryCatalogue
from support.servers.qdrant import KINDS, qdrant_server
from support.servers.qdrant_double import Fault

from citeloom.application.index.placed_index import PlacedIndex
from citeloom.application.index.relocation import IndexMover
from citeloom.application.ports.index import EmbeddedPassage, Passage, SparseVector
from citeloom.application.ports.ingest import SilentProgress
from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.errors import IndexUnavailable
from citeloom.domain.projects.project import EmbeddingModel, IndexLayout, IndexPlace
from citeloom.infrastructure.search.edge.index import EdgeIndex
from citeloom_server.infrastructure.index.index import CollectionStorage

DIMENSION = 16
pytestmark = pytest.mark.server
MODEL = EmbeddingModel(name="tiny", dimension=DIMENSION, digest="0f" * 32, max_tokens=64)


def documents(count: int, passages: int) -> dict[str, list[EmbeddedPassage]]:
    chance = random.Random(7)

    def vector() -> list[float]:
        return [chance.gauss(0, 1) for _ in range(DIMENSION)]

    def embedded(doc_id: str, n: int) -> EmbeddedPassage:
        text = " ".join(f"Sentence {k} of {doc_id}." for k in range(3))
        chunk = a_chunk(text, doc_id=doc_id, chunk_idx=n)
        spans = tuple(CharSpan(start=3 * k, end=3 * k + 3) for k in range(3))
        terms = sorted(chance.sample(range(40), 5))
        return EmbeddedPassage(
            Passage(
                chunk=chunk,
                title=doc_id,
                source_path=f"/{doc_id}.pdf",
                citation=a_citation(doc_id),
                sentences=spans,
            ),
            vector(),
            SparseVector(terms, [chance.uniform(0.5, 2) for _ in terms]),
            [vector() for _ in spans],
        )

    return {
        f"doc{d:02}": [embedded(f"doc{d:02}", n) for n in range(passages)] for d in range(count)
    }


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("layout", list(IndexLayout))
def test_sentence_vectors_survive_a_move_to_a_server_and_back(
    tmp_path: Path, layout: IndexLayout, kind: str
) -> None:
    catalogue = InMemoryCatalogue()
    project = a_project(embedding_model=MODEL)
    catalogue.add_project(project)
    with qdrant_server(kind) as running:
        place = IndexPlace(url=running.url, layout=layout)
        server = running.index(layout, MODEL.fingerprint)
        local = EdgeIndex(tmp_path)
        index = PlacedIndex(catalogue=catalogue, local=local, server=lambda *_: server)
        mover = IndexMover(catalogue=catalogue, index=index)
        with index.open(project.collection, dimension=DIMENSION) as opened:
            for doc_id, passages in documents(12, 5).items():
                opened.replace_document(doc_id, passages)
            before = list(opened.export())

        if running.double is not None:
            running.double.faults = [Fault(status=413, only="/points")]
            with pytest.raises(IndexUnavailable, match="413"):
                mover(project.id, place, SilentProgress())
        done = mover(project.id, place, SilentProgress(), drop_old=True)
        assert (done.documents, done.passages, done.index) == (12, 60, running.url)
        assert not local.exists(project.collection)

        back = mover(project.id, None, SilentProgress(), drop_old=True)
        assert (back.copied, back.dropped) == (12, (running.url,))
        assert not server.exists(project.collection)
        with index.open(project.collection, dimension=DIMENSION) as opened:
            after = list(opened.export())
        index.close()
    assert [each.passage for each in after] == [each.passage for each in before]
    for one, other in zip(before, after, strict=True):
        assert list(other.dense) == pytest.approx(list(one.dense), abs=1e-5)
        assert list(other.sparse.values) == pytest.approx(list(one.sparse.values), rel=1e-5)
        for mine, theirs in zip(one.sentences, other.sentences, strict=True):
            assert list(theirs) == pytest.approx(list(mine), abs=2e-3)


def test_a_project_moves_to_shards_that_count_terms_each_for_itself(tmp_path: Path) -> None:
    catalogue = InMemoryCatalogue()
    project = a_project(embedding_model=MODEL)
    catalogue.add_project(project)
    with qdrant_server("double") as running:
        server = running.index(storage=CollectionStorage(shards=3))
        index = PlacedIndex(
            catalogue=catalogue, local=EdgeIndex(tmp_path), server=lambda *_: server
        )
        mover = IndexMover(catalogue=catalogue, index=index)
        with index.open(project.collection, dimension=DIMENSION) as opened:
            for doc_id, passages in documents(12, 5).items():
                opened.replace_document(doc_id, passages)
        for place in (IndexPlace(url=running.url), None):
            done = mover(project.id, place, SilentProgress(), drop_old=True)
            assert (done.documents, done.passages) == (12, 60)
        index.close()
