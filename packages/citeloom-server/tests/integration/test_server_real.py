"""What only a real Qdrant server shows: its versions, its graphs, its races, its refusals."""

import math
import random
import threading
import time
from collections.abc import Iterator

import pytest
from qdrant_client import models
from support.builders import a_chunk
from support.servers.qdrant import QdrantServer, needs_real, qdrant_server

from citeloom.application.ports.index import EmbeddedPassage, Passage, SparseVector
from citeloom.domain.errors import IndexUnavailable
from citeloom.domain.projects.project import IndexLayout, VectorQuantization
from citeloom.domain.search.filters import Filter
from citeloom_server.infrastructure.index.index import CollectionStorage, ServerIndex
from citeloom_server.infrastructure.index.server import OLDEST_SHARED, Server

pytestmark = [pytest.mark.server, needs_real]
DIMENSION = 32


@pytest.fixture
def server() -> Iterator[QdrantServer]:
    with qdrant_server("real") as running:
        yield running


def passages(doc_id: str, count: int, seed: int = 0) -> list[EmbeddedPassage]:
    dice = random.Random(f"{doc_id} {seed}")

    def vector() -> list[float]:
        numbers = [dice.gauss(0, 1) for _ in range(DIMENSION)]
        length = math.sqrt(sum(number * number for number in numbers))
        return [number / length for number in numbers]

    found = []
    for idx in range(count):
        chunk = a_chunk(doc_id=doc_id, chunk_idx=idx)
        passage = Passage(chunk=chunk, title=None, source_path="/p.pdf")
        found.append(EmbeddedPassage(passage, vector(), SparseVector([idx % 7], [1.0])))
    return found


def optimized(server: QdrantServer, name: str) -> models.CollectionInfo:
    """Once the server has nothing left to do with the collection."""
    until = time.monotonic() + 60
    while (info := server.client().get_collection(name)).status != models.CollectionStatus.GREEN:
        assert time.monotonic() < until, info
        time.sleep(0.1)
    return info


def test_a_server_that_cannot_count_terms_by_tenant_is_refused_for_the_shared_layout(
    server: QdrantServer,
) -> None:
    index = ServerIndex(Server(server.url, server.api_key), layout=IndexLayout.SHARED, model="m")
    if server.version >= OLDEST_SHARED:
        pytest.skip("this server can")
    with (
        pytest.raises(IndexUnavailable, match=r'index.layout = "shared" needs 1.19'),
        index.open("p", dimension=DIMENSION),
    ):
        pass
    assert server.collections() == set()


def test_a_collection_is_made_as_the_settings_say(server: QdrantServer) -> None:
    storage = CollectionStorage(
        exact_up_to=1000, quantization=VectorQuantization.SCALAR, on_disk=True, shards=2
    )
    with server.index(storage=storage).open("p", dimension=DIMENSION):
        config = server.client().get_collection("p").config
    assert config.params.shard_number == 2
    dense, sentences = (config.params.vectors[name] for name in ("dense", "sentences"))
    assert dense.on_disk
    assert dense.hnsw_config.on_disk
    assert dense.hnsw_config.full_scan_threshold == 1000 * DIMENSION * 4 // 1024
    assert dense.quantization_config.scalar.type is models.ScalarType.INT8
    assert sentences.quantization_config is None
    assert sentences.hnsw_config.m == 0
    assert config.params.sparse_vectors["bm25"].index.on_disk


@pytest.mark.parametrize("quantization", list(VectorQuantization))
def test_scores_are_those_of_the_whole_vectors(
    server: QdrantServer, quantization: VectorQuantization
) -> None:
    """With a graph, with quantization, and after the server has rewritten all segments."""
    stored = passages("d", 3000)
    index = server.index(storage=CollectionStorage(exact_up_to=0, quantization=quantization))
    with index.open("p", dimension=DIMENSION) as opened:
        opened.replace_document("d", stored)
        server.client().update_collection(
            "p", optimizers_config=models.OptimizersConfigDiff(indexing_threshold=10)
        )
        assert optimized(server, "p").indexed_vectors_count
        asked = stored[17].dense
        hits = opened.search(dense=asked, sparse=SparseVector([3], [1.0]), filter=Filter(), limit=9)
    truth = {
        each.passage.chunk.id: sum(a * b for a, b in zip(each.dense, asked, strict=True))
        for each in stored
    }
    assert hits[0].id == stored[17].passage.chunk.id
    assert [hit.dense for hit in hits] == pytest.approx([truth[h.id] for h in hits], abs=1e-5)


def test_up_to_the_limit_every_vector_is_compared(server: QdrantServer) -> None:
    stored = passages("d", 3000)
    with server.index(storage=CollectionStorage(exact_up_to=4000)).open(
        "p", dimension=DIMENSION
    ) as opened:
        opened.replace_document("d", stored)
        server.client().update_collection(
            "p", optimizers_config=models.OptimizersConfigDiff(indexing_threshold=10)
        )
        optimized(server, "p")
        for asked in passages("questions", 20):
            truth = sorted(
                stored,
                key=lambda each: -sum(a * b for a, b in zip(each.dense, asked.dense, strict=True)),
            )
            hits = opened.search(dense=asked.dense, sparse=None, filter=Filter(), limit=10)
            assert [hit.id for hit in hits] == [each.passage.chunk.id for each in truth[:10]]


def test_removed_passages_stop_to_count_in_the_statistics_of_terms(server: QdrantServer) -> None:
    with server.index().open("p", dimension=DIMENSION) as opened:
        opened.replace_document("kept", passages("kept", 200))
        opened.replace_document("gone", passages("gone", 50))
        opened.delete_documents(["gone"])
        optimized(server, "p")
        words = SparseVector([3], [1.0])
        hits = opened.search(dense=None, sparse=words, filter=Filter(), limit=1)
    having = sum(idx % 7 == 3 for idx in range(200))
    assert hits[0].sparse == pytest.approx(math.log(1 + (200 - having + 0.5) / (having + 0.5)))


def test_processes_that_begin_at_once_make_one_collection(server: QdrantServer) -> None:
    failures: list[BaseException] = []

    def write(number: int) -> None:
        try:
            index = server.index()
            with index.open("p", dimension=DIMENSION) as opened:
                opened.replace_document(f"d{number}", passages(f"d{number}", 3))
            index.close()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    with server.index().open("p", dimension=DIMENSION) as opened:
        assert opened.counts() == {f"d{number}": 3 for number in range(8)}
        assert "document" in opened.info().indexed_fields


def test_a_passage_that_went_away_in_between_is_named_as_not_found(server: QdrantServer) -> None:
    with server.index().open("p", dimension=DIMENSION) as opened:
        opened.replace_document("d", passages("d", 2))
        gone = passages("d", 3)[2].passage.chunk.id
        with pytest.raises(IndexUnavailable, match="not found"):
            opened._reweigh({gone: SparseVector([1], [1.0])})


def test_a_wrong_key_is_refused_by_name(server: QdrantServer) -> None:
    if not server.api_key:
        pytest.skip("this server has no key")
    index = ServerIndex(Server(server.url, "wrong"), model="m")
    with pytest.raises(IndexUnavailable, match=r"CITELOOM_INDEX__API_KEY"):
        index.exists("p")


def test_a_server_that_forbids_exact_search_is_answered_in_its_words(
    server: QdrantServer,
) -> None:
    with server.index().open("p", dimension=DIMENSION) as opened:
        opened.replace_document("d", passages("d", 2))
        server.client().update_collection(
            "p",
            strict_mode_config=models.StrictModeConfig(enabled=True, search_allow_exact=False),
        )
        with pytest.raises(IndexUnavailable, match=r"400 .*[Ee]xact"):
            opened.search(
                dense=passages("q", 1)[0].dense,
                sparse=SparseVector([1], [1.0]),
                filter=Filter(),
                limit=1,
            )
