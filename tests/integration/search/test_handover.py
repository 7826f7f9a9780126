"""Several processes share a collection: who is idle gives way, who is busy is named."""

import threading
import time

import pytest
from support.workers.index_worker import COLLECTION, DIMENSION, document

from citeloom.domain.errors import ShardBusy
from citeloom.infrastructure.composition.application import open_application
from citeloom.infrastructure.search.edge import shard_lock


def stored(index):
    with index.open(COLLECTION, dimension=DIMENSION) as opened:
        return dict(opened.counts())


def test_an_idle_process_gives_way_and_sees_what_was_written(index, worker):
    """Each time: one that does not is an error when the wait is over."""
    server = worker()
    for n in range(3):
        assert server.ask(f"write before 3 v{n}")["done"]
        with index.open(COLLECTION, dimension=DIMENSION) as opened:
            opened.replace_document("after", document("after", 4 + n))
            opened.flush()
        assert server.ask("counts")["counts"] == {"before": 3, "after": 4 + n}


def test_a_shard_stays_warm_while_nobody_asks(index):
    stored(index)
    slot = index._slots[COLLECTION]
    warm = slot._open
    time.sleep(0.3)
    stored(index)
    assert slot._open is warm


@pytest.mark.server
def test_an_idle_process_gives_way_after_a_look_that_failed(index, worker, monkeypatch):
    looked = threading.Event()

    def is_requested():
        monkeypatch.undo()
        looked.set()
        raise OSError(24, "too many open files")

    stored(index)
    monkeypatch.setattr(index._slots[COLLECTION]._lock, "is_requested", is_requested)
    assert looked.wait(30)
    assert worker().ask("counts")["counts"] == {}


def test_a_waiter_names_the_holder_and_gives_up(root, worker, monkeypatch, caplog, tmp_path):
    monkeypatch.setattr(shard_lock, "_SILENT", 0.0)
    (tmp_path / ".citeloom").mkdir()
    (tmp_path / ".citeloom" / "index").symlink_to(root)
    application = open_application(tmp_path, {"index": {"wait_seconds": 0.5}})
    index = application.stores.edge_index
    server = worker("citeloom mcp")
    server.ask("enter")
    with pytest.raises(ShardBusy) as caught:
        stored(index)
    [told] = caplog.messages
    assert told.startswith(f"waiting for 0.5 s at most: {COLLECTION}: the index is held by process")
    message = str(caught.value)
    assert f"held by process {server.pid} (citeloom mcp) since " in message
    assert message.startswith(COLLECTION)
    assert caught.value.details["pid"] == server.pid
    with pytest.raises(ShardBusy):
        index.drop(COLLECTION)
    with pytest.raises(ShardBusy), index.held(COLLECTION):
        pass
    assert [told.split(":")[0] for told in caplog.messages] == ["waiting for 0.5 s at most"] * 3
    application.close()


@pytest.mark.server
def test_a_dropped_collection_is_taken_from_an_idle_process(index, worker):
    server = worker()
    server.ask("write a 3 v1")
    index.drop(COLLECTION)
    assert not index.exists(COLLECTION)
    assert server.ask("counts")["counts"] == {}


def test_a_killed_holder_keeps_nobody_waiting(index, worker):
    server = worker()
    server.ask("write a 3 v1")
    server.ask("enter")
    threading.Timer(0.3, server.kill).start()
    assert stored(index) == {"a": 3}


@pytest.mark.server
def test_a_killed_waiter_is_forgotten(index, worker, root):
    want = root / COLLECTION / "want"
    with index.open(COLLECTION, dimension=DIMENSION):
        waiter = worker()
        waiter.tell("counts")
        while not list(want.iterdir()):
            time.sleep(0.02)
        waiter.kill()
        assert [f"-{waiter.pid}-" in ticket.name for ticket in want.iterdir()] == [True]
    asked = time.monotonic()
    while list(want.iterdir()):
        stored(index)
        time.sleep(0.05)
        assert time.monotonic() - asked < 10.0, "a live one would be waited for, 30 s at most"


def test_an_ingest_and_two_streams_of_queries_all_get_their_turn(index, worker):
    index.close()
    writer, *readers = worker("citeloom ingest"), worker(), worker()
    assert writer.ask("write first 1 v1")["done"]
    assert [reader.ask("counts")["counts"] for reader in readers] == [{"first": 1}] * 2
    assert writer.ask("ingest 0")["stored"] == "d0"
    for reader in readers:
        reader.tell("ask 4")
    assert [reader.hear()["done"] for reader in readers] == ["ask", "ask"]
    assert writer.kill(), "what was written while both readers asked"


@pytest.mark.server
def test_three_threads_and_another_process_at_once(index, worker):
    stored(index)
    server = worker()
    server.tell("stream 0.7")
    failures = []
    stop = time.monotonic() + 0.7

    def work(name):
        size = 0
        try:
            while time.monotonic() < stop:
                size += 1
                with index.open(COLLECTION, dimension=DIMENSION) as opened:
                    opened.replace_document(name, document(name, size % 7 + 1))
                assert stored(index)[name] == size % 7 + 1
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(f"t{n}",)) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert server.hear()["queries"] >= 1
    assert set(stored(index)) == {"t0", "t1", "t2"}


def test_close_gives_everything_up_and_the_index_opens_again(index, worker, root):
    with index.open(COLLECTION, dimension=DIMENSION) as opened:
        opened.replace_document("a", document("a", 2))
        index.close()
        assert opened.counts() == {"a": 2}, "in use until the end of the with"
    assert not (root / COLLECTION / "holder.json").exists()
    assert stored(index) == {"a": 2}
