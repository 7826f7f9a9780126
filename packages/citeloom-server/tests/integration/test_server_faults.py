"""A server that is away, busy, slow, wrong or broken: what is tried again, what is said."""

import logging
import sys

import pytest
from qdrant_client import QdrantClient
from support.builders import a_chunk
from support.servers.qdrant_double import Fault, QdrantDouble

from citeloom.application.ports.index import EmbeddedPassage, Passage, SparseVector
from citeloom.domain.errors import ConfigurationError, IndexUnavailable, WorkspaceTooNew
from citeloom.domain.projects.project import IndexLayout
from citeloom.domain.search.filters import Filter
from citeloom_server.infrastructure.index.index import ServerIndex
from citeloom_server.infrastructure.index.server import ATTEMPTS, Server

pytestmark = pytest.mark.server

KEY = "a-key-that-nobody-may-see"


@pytest.fixture
def double():
    with QdrantDouble() as made:
        yield made


class Clock:
    """Time that only pauses pass."""

    def __init__(self) -> None:
        self.now, self.pauses = 0.0, []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds


def an_index(double: QdrantDouble, clock: Clock | None = None, **how) -> ServerIndex:
    clock = clock or Clock()
    key, layout = how.pop("key", None), how.pop("layout", IndexLayout.PROJECT)
    server = Server(double.url, key, sleep=clock.sleep, clock=clock, **how)
    return ServerIndex(server, layout=layout, model="tiny@2:00")


def a_passage(index: int = 0, doc_id: str = "d") -> EmbeddedPassage:
    chunk = a_chunk(doc_id=doc_id, chunk_idx=index)
    passage = Passage(chunk=chunk, title=None, source_path="/p.pdf")
    return EmbeddedPassage(passage, (1.0, 0.0), SparseVector([3], [1.0]))


def ask(index: ServerIndex, collection: str = "p") -> int:
    with index.open(collection, dimension=2) as opened:
        return len(opened.search(dense=(1.0, 0.0), sparse=None, filter=Filter(), limit=5))


def fill(index: ServerIndex, collection: str = "p", documents: int = 1) -> None:
    with index.open(collection, dimension=2) as opened:
        for n in range(documents):
            opened.replace_document(f"d{n}", [a_passage(doc_id=f"d{n}")])


def test_no_server_is_tried_some_times_and_then_named() -> None:
    away, clock = QdrantDouble(), Clock()
    away.start()
    away.stop()
    with pytest.raises(IndexUnavailable, match=r"no connection .* check that the server runs"):
        ask(an_index(away, clock))
    assert clock.pauses == [0.1, 0.2, 0.4, 0.8, 1.6]


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_a_busy_server_or_one_without_a_node_is_asked_again(
    double: QdrantDouble, status: int
) -> None:
    clock = Clock()
    index = an_index(double, clock)
    fill(index)
    double.faults = [Fault(status=status, only="query")] * 3
    assert ask(index) == 1
    assert clock.pauses == [0.1, 0.2, 0.4]


def test_a_server_says_when_it_may_be_asked_again(double: QdrantDouble) -> None:
    clock = Clock()
    index = an_index(double, clock)
    fill(index)
    double.faults = [Fault(status=429, headers={"Retry-After": "7"}, only="query")]
    assert ask(index) == 1
    assert clock.pauses == [7.0]


def test_it_is_not_waited_for_longer_than_the_deadline(double: QdrantDouble) -> None:
    clock = Clock()
    index = an_index(double, clock, timeout_seconds=5)
    fill(index)
    double.faults = [Fault(status=429, headers={"Retry-After": "60"}, only="query")]
    with pytest.raises(IndexUnavailable, match="overloaded; try again later"):
        ask(index)
    assert clock.pauses == []


def test_a_server_that_stays_busy_is_given_up(double: QdrantDouble) -> None:
    double.faults = [Fault(status=503)] * 100
    with pytest.raises(IndexUnavailable, match=r"not ready or is overloaded \(503\)"):
        ask(an_index(double))
    asked = [path for _, path, _ in double.seen]
    assert asked == ["/"] * ATTEMPTS + ["/cluster"], "at last whether a node of it is away"


def test_a_fault_of_the_server_is_named_in_its_own_words(double: QdrantDouble) -> None:
    double.faults = [Fault(status=500)] * ATTEMPTS
    with pytest.raises(IndexUnavailable, match=r"the server answers 500 .*made up"):
        ask(an_index(double))


@pytest.mark.parametrize("fault", [Fault(cut=True, only="query"), Fault(garble=True, only="query")])
def test_half_an_answer_is_asked_for_again(double: QdrantDouble, fault: Fault) -> None:
    index = an_index(double)
    fill(index)
    double.faults = [fault]
    assert ask(index) == 1
    assert not double.faults


def test_answers_that_are_never_whole_are_no_hits(double: QdrantDouble) -> None:
    index = an_index(double)
    fill(index)
    double.faults = [Fault(garble=True, only="query")] * ATTEMPTS
    with pytest.raises(IndexUnavailable, match="cut short; check index"):
        ask(index)


@pytest.mark.parametrize("path", ["points", "delete", "index", "/collections/p"])
def test_a_write_whose_answer_was_lost_is_repeated_without_harm(
    double: QdrantDouble, path: str
) -> None:
    double.faults = [Fault(cut=True, applied=True, only=path)]
    index = an_index(double)
    fill(index, documents=3)
    assert not double.faults
    with index.open("p", dimension=2) as opened:
        assert opened.counts() == {"d0": 1, "d1": 1, "d2": 1}
        assert "document" in opened.info().indexed_fields


def test_a_server_that_does_not_answer_is_left_in_time(double: QdrantDouble) -> None:
    server = Server(double.url, None, timeout_seconds=1)
    index = ServerIndex(server, model="tiny")
    fill(index)
    double.faults = [Fault(seconds=3, only="query")]
    with pytest.raises(IndexUnavailable, match=r"no answer in time; .* index.timeout_seconds"):
        ask(index)


def test_a_server_that_was_started_anew_goes_on(double: QdrantDouble) -> None:
    index = an_index(double)
    with index.open("p", dimension=2) as opened:
        opened.replace_document("d0", [a_passage(doc_id="d0")])
        double.stop()
        with pytest.raises(IndexUnavailable, match="no connection"):
            opened.counts()
        double.start()
        assert opened.counts() == {"d0": 1}
        opened.replace_document("d1", [a_passage(doc_id="d1")])
    assert ask(index) == 2


def test_a_wrong_key_is_said_and_never_shown(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with QdrantDouble(api_key="another") as double:
        clock = Clock()
        with pytest.raises(IndexUnavailable, match="CITELOOM_INDEX__API_KEY") as caught:
            ask(an_index(double, clock, key=KEY))
        assert clock.pauses == [], "no attempt helps"
        assert set(double.keys) == {KEY}
        with pytest.raises(IndexUnavailable, match=r"refuses the API key \(401\)"):
            ask(an_index(double))
    assert KEY not in str(caught.value) + repr(caught.value.details) + caplog.text


def test_the_right_api_key_is_accepted_without_warnings(recwarn: pytest.WarningsRecorder) -> None:
    with QdrantDouble(api_key=KEY) as double:
        fill(an_index(double, key=KEY))
        assert ask(an_index(double, key=KEY)) == 1
    assert not recwarn.list


@pytest.mark.parametrize(
    ("version", "layout", "needed"),
    [
        ("1.15.9", IndexLayout.PROJECT, "1.16"),
        ("1.18.2", IndexLayout.SHARED, "1.19"),
        ("", "project", "1.16"),
    ],
)
def test_a_server_that_is_too_old_is_refused(
    version: str, layout: IndexLayout, needed: str
) -> None:
    with QdrantDouble(version=version) as double:
        index = an_index(double, layout=IndexLayout(layout))
        for call in (lambda: ask(index), lambda: index.exists("p"), lambda: index.drop("p")):
            with pytest.raises(IndexUnavailable, match=f"needs {needed}; upgrade the server"):
                call()
        assert {path for _, path, _ in double.seen} == {"/"}


def test_versions_that_will_do() -> None:
    for version, layout in (("1.16.0", IndexLayout.PROJECT), ("1.19.1-dev", IndexLayout.SHARED)):
        with QdrantDouble(version=version) as double:
            assert ask(an_index(double, layout=layout)) == 0


def test_a_collection_of_others_is_left_alone(double: QdrantDouble) -> None:
    from qdrant_client import models

    client = QdrantClient(url=double.url, check_compatibility=False)
    size = models.VectorParams(size=2, distance=models.Distance.COSINE)
    client.create_collection("p", vectors_config={"dense": size})
    with pytest.raises(IndexUnavailable, match="CiteLoom did not make it"):
        ask(an_index(double))


def test_a_collection_of_a_later_version_is_refused(double: QdrantDouble) -> None:
    fill(an_index(double))
    double.store.metadata["p"]["citeloom_format"] = 99
    with pytest.raises(WorkspaceTooNew, match="format 99"):
        ask(an_index(double))


def test_a_collection_that_was_not_finished_is_finished(double: QdrantDouble) -> None:
    double.faults = [Fault(status=400, only="/index")]
    with pytest.raises(IndexUnavailable, match="400"):
        fill(an_index(double))
    fill(an_index(double))
    assert ask(an_index(double)) == 1


def test_a_collection_that_is_gone_in_between_is_named(double: QdrantDouble) -> None:
    index = an_index(double)
    with index.open("p", dimension=2) as opened:
        opened.replace_document("d", [a_passage()])
        index.drop("p")
        with pytest.raises(IndexUnavailable, match="not found"):
            opened.search(dense=(1.0, 0.0), sparse=None, filter=Filter(), limit=5)


def test_what_is_large_is_sent_in_parts_that_a_server_takes(double: QdrantDouble) -> None:
    """An answer of 413 would fail the test: the double has the server's limit."""
    dense = [0.123456789012345678] * 4096
    spans = [dense] * 20
    wide = ServerIndex(Server(double.url, None), model="wide")
    passages = []
    for n in range(12):
        text = "x" * 400
        chunk = a_chunk(text, doc_id="big", chunk_idx=n)
        sentences = tuple(chunk.char_span.model_copy(update={"end": k + 1}) for k in range(20))
        passage = Passage(chunk=chunk, title=None, source_path="/p", sentences=sentences)
        passages.append(EmbeddedPassage(passage, dense, SparseVector([1], [1.0]), spans))
    with wide.open("p", dimension=4096) as opened:
        opened.replace_document("big", passages)
        assert opened.counts() == {"big": 12}
    assert sum(path.endswith("/points") for _, path, _ in double.seen) > 1


def test_without_the_client_it_is_said_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "qdrant_client", None)
    server = Server("http://127.0.0.1:9", None)
    with pytest.raises(ConfigurationError, match=r'pip install "citeloom\[server\]"'):
        ServerIndex(server, model="tiny").exists("p")


def test_keys_over_plain_http_are_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    away = Server("http://0.0.0.0:9", KEY, timeout_seconds=0.001)
    with pytest.raises(IndexUnavailable):
        ServerIndex(away, model="tiny").exists("p")
    assert "plain HTTP" in caplog.text
    assert KEY not in caplog.text
