"""A graph is built beside a collection in use: nothing is lost, questions are answered."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest
import qdrant_edge
from support.once import copied
from support.paths import WORKERS
from support.workers.index_worker import COLLECTION, DIMENSION, PASSAGES, document

from citeloom.application.ports.index import SparseVector
from citeloom.domain.errors import IndexUnavailable, StorageFailed
from citeloom.domain.search.filters import Filter, parse_clause
from citeloom.infrastructure.search.edge.index import EdgeIndex

REBUILD = WORKERS / "rebuild_worker.py"
# The steps of a build at which it may be killed; the first leaves no shard in place.
STEPS = [
    "rename1",
    *(
        pytest.param(step, marks=pytest.mark.faults)
        for step in ("copy_tree", "build_graph", "verify", "rename2")
    ),
]


@pytest.fixture
def small(root):
    """An index that builds a graph from 100 passages on."""
    made = EdgeIndex(root, exact_up_to=100)
    yield made
    made.close()


def _built(folder, *docs):
    made = EdgeIndex(folder, exact_up_to=100)
    fill(made, *docs)
    assert optimize(made)
    made.close()
    return folder


@pytest.fixture(scope="module")
def three(tmp_path_factory):
    """An index of the documents a, b and c with a graph, to be copied."""
    return _built(tmp_path_factory.mktemp("three") / "index", *"abc")


@pytest.fixture(scope="module")
def ten(tmp_path_factory):
    """One of the documents d0 to d9."""
    return _built(tmp_path_factory.mktemp("ten") / "index", *(f"d{n}" for n in range(10)))


@pytest.fixture
def rebuilding(root):
    """Start a build that halts before a step."""
    started = []

    def start(*step):
        command = [sys.executable, str(REBUILD), str(root / COLLECTION), str(DIMENSION), *step]
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
        return started[-1]

    yield start
    for each in started:
        each.kill()
        each.wait()
        each.stdout.close()


def fill(index, *docs, version="v1"):
    with index.open(COLLECTION, dimension=DIMENSION) as opened:
        for doc in docs:
            opened.replace_document(doc, document(doc, version=version))
        opened.flush()


def optimize(index):
    return index.optimize(COLLECTION, dimension=DIMENSION)


def stored(index):
    """The version of every document, each whole and in one version only; and whether words
    and meaning find each of its passages."""
    with index.open(COLLECTION, dimension=DIMENSION) as opened:
        versions = {}
        for passage in opened.passages():
            of_document = versions.setdefault(passage.chunk.doc_id, [])
            of_document.append(passage.chunk.section_path[0])
        for doc, found in versions.items():
            assert found == [found[0]] * PASSAGES
            hits = opened.search(
                dense=[1.0] * DIMENSION,
                sparse=SparseVector([1], [1.0]),
                filter=Filter(clauses=(parse_clause(f"doc={doc}"),)),
                limit=PASSAGES,
            )
            assert len(hits) == PASSAGES
            assert None not in [score for hit in hits for score in (hit.dense, hit.sparse)]
        return {doc: found[0] for doc, found in versions.items()}


def leftovers(root):
    folder = root / COLLECTION
    return [p.name for p in folder.iterdir() if p.name.startswith(("building", "shard."))]


def has_graph(root):
    return (root / COLLECTION / "shard" / "graph.json").is_file()


def test_a_graph_is_built_when_a_collection_has_outgrown_the_exact_search(small, root):
    begun = []
    fill(small, "a", "b")
    assert not small.optimize(COLLECTION, dimension=DIMENSION, on_start=lambda: begun.append(1))
    assert (begun, has_graph(root)) == ([], False)
    fill(small, "c")
    assert small.optimize(COLLECTION, dimension=DIMENSION, on_start=lambda: begun.append(1))
    assert (begun, has_graph(root)) == ([1], True)
    assert stored(small) == {"a": "v1", "b": "v1", "c": "v1"}
    assert leftovers(root) == []
    config = json.loads((root / COLLECTION / "shard" / "edge_config.json").read_text())
    assert config["vectors"]["dense"]["hnsw_config"]["m"] > 0
    assert config["vectors"]["sentences"]["hnsw_config"]["m"] == 0


def by_words(index):
    with index.open(COLLECTION, dimension=DIMENSION) as opened:
        words = SparseVector([1], [1.0])
        return {
            hit.id: hit.sparse
            for hit in opened.search(dense=None, sparse=words, filter=Filter(), limit=1000)
        }


def test_removed_passages_do_not_count_in_how_rare_a_word_is(three, small, root):
    copied(three, root)
    with small.open(COLLECTION, dimension=DIMENSION) as opened:
        opened.delete_documents(["c"])
        opened.flush()
    other = EdgeIndex(root.with_name("other"))
    fill(other, "a", "b")
    expected = by_words(other)
    other.close()
    assert by_words(small) == pytest.approx(expected)


def test_words_are_counted_anew_only_where_many_passages_were_removed(
    three, small, root, monkeypatch
):
    copied(three, root)
    fill(small, "d")
    other = EdgeIndex(root.with_name("other"))
    fill(other, "a", "b", "c", "d")
    expected = by_words(other)
    other.close()
    params, counted = qdrant_edge.IdfParams, []
    monkeypatch.setattr(
        qdrant_edge, "IdfParams", lambda corpus: counted.append(1) or params(corpus=corpus)
    )
    assert by_words(small) == pytest.approx(expected)
    assert not counted
    with small.open(COLLECTION, dimension=DIMENSION) as opened:
        opened.delete_documents(["c"])
    assert len(by_words(small)) == 3 * PASSAGES
    assert counted


def is_due(index):
    with index.open(COLLECTION, dimension=DIMENSION) as opened:
        return opened.outgrown(100)


def test_a_new_graph_is_due_when_more_than_a_fifth_is_new(ten, small, root):
    copied(ten, root)
    assert not is_due(small)
    fill(small, "d10", "d11")
    assert not is_due(small)
    assert not optimize(small)
    fill(small, "d12")
    assert is_due(small)


def test_a_new_graph_is_due_when_more_than_a_fifth_is_gone(ten, small, root):
    copied(ten, root)
    with small.open(COLLECTION, dimension=DIMENSION) as opened:
        opened.delete_documents(["d0", "d1"])
    assert not is_due(small)
    fill(small, "d2", version="v2")  # new passages, and the old ones are gone
    assert is_due(small)


def test_a_collection_with_a_graph_is_not_compacted_in_place(three, small, root):
    copied(three, root)
    with small.open(COLLECTION, dimension=DIMENSION) as opened:
        opened.delete_documents(["a", "b"])
        assert not opened.compact()
    assert optimize(small)
    assert stored(small) == {"c": "v1"}
    assert not is_due(small)


@pytest.mark.parametrize("step", STEPS)
def test_a_build_killed_at_any_moment_leaves_all_passages(small, root, rebuilding, step):
    fill(small, "a", "b", "c")
    small.close()
    killed = rebuilding(step, "die")
    assert killed.wait(60) == -signal.SIGKILL
    expected = {"a": "v1", "b": "v1", "c": "v1"}
    assert small.exists(COLLECTION)
    assert stored(small) == expected
    assert leftovers(root) == []
    assert optimize(small)
    assert stored(small) == expected
    assert has_graph(root)


def test_questions_are_answered_while_a_graph_is_built(small, root, rebuilding):
    fill(small, "a", "b", "c")
    small.close()
    build = rebuilding("build_graph", "1")
    assert build.stdout.readline() == "here\n"
    asked = 0
    while build.poll() is None:
        assert stored(small) == {"a": "v1", "b": "v1", "c": "v1"}
        asked += 1
        time.sleep(0.05)
    assert build.stdout.read() == "True\n"
    assert asked > 3
    assert has_graph(root)
    assert leftovers(root) == []


def test_a_write_ends_a_build_and_nothing_is_lost(small, root, rebuilding):
    fill(small, "a", "b", "c")
    small.close()
    build = rebuilding("build_graph", "1")
    assert build.stdout.readline() == "here\n"
    with small.open(COLLECTION, dimension=DIMENSION) as opened:
        opened.delete_documents(["b"])
    fill(small, "d", version="v2")
    assert build.wait(60) == 0
    assert build.stdout.read() == "False\n"
    expected = {"a": "v1", "c": "v1", "d": "v2"}
    assert stored(small) == expected
    assert not has_graph(root)
    assert optimize(small)
    assert stored(small) == expected
    assert leftovers(root) == []


@pytest.mark.faults
def test_two_builds_at_once_are_one(small, rebuilding):
    fill(small, "a", "b", "c")
    small.close()
    first = rebuilding("build_graph", "2")
    assert first.stdout.readline() == "here\n"
    assert not optimize(small)
    assert first.wait(60) == 0
    assert first.stdout.read() == "True\n"


@pytest.mark.faults
def test_a_collection_dropped_during_a_build_is_gone(small, root, rebuilding):
    fill(small, "a", "b", "c")
    small.close()
    build = rebuilding("build_graph", "1")
    assert build.stdout.readline() == "here\n"
    small.drop(COLLECTION)
    assert not small.exists(COLLECTION)
    build.wait(60)
    assert "True" not in build.stdout.read()
    assert not small.exists(COLLECTION)
    fill(small, "z")
    assert stored(small) == {"z": "v1"}
    assert leftovers(root) == []


def test_a_new_shard_that_differs_is_not_put_in_place(small, root, monkeypatch):
    from citeloom.infrastructure.search.edge import graph_build as module

    fill(small, "a", "b", "c")
    small.close()
    build_graph = module.build_graph

    def losing(files, dimension):
        import qdrant_edge

        shard = build_graph(files, dimension)
        records, _ = shard.scroll(
            qdrant_edge.ScrollRequest(limit=1, with_payload=False, with_vector=False)
        )
        shard.update(qdrant_edge.UpdateOperation.delete_points([records[0].id]))
        return shard

    monkeypatch.setattr(module, "build_graph", losing)
    with pytest.raises(IndexUnavailable, match="does not hold the same passages"):
        module.build(root / COLLECTION, DIMENSION, 5.0)
    assert not has_graph(root)
    assert leftovers(root) == []
    assert stored(small) == {"a": "v1", "b": "v1", "c": "v1"}


def test_what_goes_wrong_in_the_other_process_is_heard(small, root, monkeypatch):
    fill(small, "a", "b", "c")
    small.close()
    (root / COLLECTION / "build.lock").mkdir()
    with pytest.raises((IndexUnavailable, StorageFailed), match=COLLECTION):
        optimize(small)
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(IndexUnavailable, match="can be searched as before"):
        optimize(small)


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_the_building_process_dies_with_its_parent(tmp_path):
    """Also while the interpreter lock is held, as the engine does for minutes."""
    child = (
        "import citeloom.infrastructure.system.processes as processes;"
        "processes.end_with_input();"
        "print('here', flush=True); sum(range(10**12))"
    )
    parent = (
        "import subprocess, sys, time; p = subprocess.Popen([sys.executable, '-c', sys.argv[1]],"
        "stdin=subprocess.PIPE); print(p.pid, flush=True); time.sleep(60)"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", parent, child], stdout=subprocess.PIPE, text=True
    )
    lines = {process.stdout.readline().strip() for _ in range(2)}
    pid = int((lines - {"here"}).pop())
    process.kill()
    process.wait()
    ended = threading.Event()
    threading.Thread(target=lambda: (process.stdout.read(), ended.set()), daemon=True).start()
    gone = ended.wait(10)  # the child had that open as well
    if not gone:
        os.kill(pid, signal.SIGKILL)
    assert gone
