"""Projects that share a collection do not see each other, not even in their scores."""

import math
from collections.abc import Iterator

import pytest
from support.builders import a_chunk, a_citation
from support.servers.qdrant import KINDS, QdrantServer, qdrant_server
from support.servers.qdrant_double import QdrantDouble

from citeloom.application.ports.index import EmbeddedPassage, Passage, SparseVector
from citeloom.domain.projects.project import IndexLayout
from citeloom.domain.search.filters import Filter
from citeloom_server.infrastructure.index.index import ServerIndex, shared_name

pytestmark = pytest.mark.server


@pytest.fixture(params=KINDS)
def server(request: pytest.FixtureRequest) -> Iterator[QdrantServer]:
    with qdrant_server(request.param) as running:
        yield running


@pytest.fixture
def double() -> Iterator[QdrantDouble]:
    with QdrantDouble() as made:
        yield made


def an_index(server: QdrantServer | QdrantDouble, model: str = "tiny@2:00") -> ServerIndex:
    if isinstance(server, QdrantDouble):
        server = QdrantServer(server.url, double=server)
    return server.index(IndexLayout.SHARED, model)


def a_passage(doc_id: str, term: int, index: int = 0) -> EmbeddedPassage:
    chunk = a_chunk(doc_id=doc_id, chunk_idx=index)
    passage = Passage(chunk=chunk, title=None, source_path="/p.pdf")
    return EmbeddedPassage(passage, (1.0, 0.0), SparseVector([term], [1.0]))


def test_the_same_document_in_two_projects_is_two(server: QdrantServer) -> None:
    index = an_index(server)
    with index.open("a", dimension=2) as a, index.open("b", dimension=2) as b:
        for each in (a, b):
            each.replace_document("d", [a_passage("d", 1)])
        a.set_citation("d", a_citation(), "/moved.pdf")
        a.set_page_labels("d", {})
        assert [p.citation for p in b.passages()] == [None]
        [id_a] = [hit.id for hit in a.search(dense=(1, 0), sparse=None, filter=Filter(), limit=9)]
        [id_b] = [hit.id for hit in b.search(dense=(1, 0), sparse=None, filter=Filter(), limit=9)]
        assert id_a == id_b == a_passage("d", 1).passage.chunk.id
        a.delete_documents(["d"])
        assert (a.counts(), b.counts()) == ({}, {"d": 1})
        assert b.info().points == 1
        assert list(b.vectors([id_b])) == [id_b]
        assert a.fetch([id_a]) == []
    assert not index.exists("a")
    assert index.exists("b")


def test_how_rare_a_term_is_is_counted_in_the_project(server: QdrantServer) -> None:
    index = an_index(server)
    with index.open("small", dimension=2) as small, index.open("large", dimension=2) as large:
        small.replace_document("d", [a_passage("d", term, term) for term in (1, 2, 3)])
        large.replace_document("e", [a_passage("e", 1, n) for n in range(40)])
        hits = small.search(dense=None, sparse=SparseVector([1], [1.0]), filter=Filter(), limit=50)
    assert [hit.sparse for hit in hits] == [pytest.approx(math.log(1 + 2.5 / 1.5), rel=1e-5)]


def test_dropping_a_project_leaves_the_others_and_reaches_all_models(server: QdrantServer) -> None:
    before, after = an_index(server, "old@2:00"), an_index(server, "new@3:00")
    for name in ("a", "b"):
        with before.open(name, dimension=2) as opened:
            opened.replace_document("d", [a_passage("d", 1)])
    after.drop("a")
    assert (before.exists("a"), before.exists("b"), after.exists("a")) == (False, True, False)


def test_the_index_is_told_whose_passages_are_whose(double: QdrantDouble) -> None:
    with an_index(double).open("a", dimension=2) as opened:
        assert "project" not in opened.info().indexed_fields
    name = shared_name("tiny@2:00")
    assert double.store.indexes[name]["project"]["is_tenant"] is True
    made = next(b for m, p, b in double.seen if m == "PUT" and p == f"/collections/{name}")
    graph = made["vectors"]["dense"]["hnsw_config"]
    assert (graph["m"], graph["payload_m"]) == (0, 16)
    assert made["vectors"]["sentences"]["hnsw_config"] == {"m": 0, "payload_m": 0}
    assert made["vectors"]["sentences"]["multivector_config"] == {"comparator": "max_sim"}
    assert made["vectors"]["sentences"]["datatype"] == "float16"
    assert made["sparse_vectors"]["bm25"] == {"modifier": "idf"}


def test_every_request_for_points_is_narrowed_to_the_project(double: QdrantDouble) -> None:
    """All that reads or writes by a filter names the project; all else names point ids."""
    with an_index(double).open("mine", dimension=2) as opened:
        opened.replace_document("d", [a_passage("d", 1)])
        opened.set_citation("d", None, "/x")
        opened.search(dense=(1.0, 0.0), sparse=SparseVector([1], [1.0]), filter=Filter(), limit=3)
        list(opened.export())
        opened.info()
        opened.delete_documents(["d"])
    checked = 0
    for _, path, body in double.seen:
        for each in (body or {}).get("searches", [body]):
            if isinstance(each, dict) and ("/points/" in path or path.endswith("/facet")):
                checked += 1
                assert {"key": "project", "match": {"any": ["mine"]}} in each["filter"]["must"]
    assert checked >= 9


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("all-MiniLM-L6-v2@384:81", "citeloom-all-MiniLM-L6-v2-384-81"),
        ("/home/me/мой model@8:0a", "citeloom--home-me-model-8-0a"),
    ],
)
def test_names_of_shared_collections(model: str, name: str) -> None:
    assert shared_name(model) == name
