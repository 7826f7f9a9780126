import json
import os
import threading
import time

import pytest

from citeloom.domain.errors import ShardBusy
from citeloom.infrastructure.search.edge.shard_lock import ShardLock
from citeloom.infrastructure.system.locks import OsLock


@pytest.fixture
def locks(tmp_path):
    """Three that want the same shard; to the lock, objects are as strange as processes."""
    return [ShardLock(tmp_path / "shard", f"citeloom {n}") for n in range(3)]


def wait_for(condition):
    until = time.monotonic() + 5
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.005)


def test_one_holds_it_and_is_named(locks):
    locks[0].acquire(0)
    with pytest.raises(ShardBusy, match=rf"held by process {os.getpid()} \(citeloom 0\) since"):
        locks[1].acquire(0.05)
    locks[0].release()
    locks[1].acquire(0)


def test_a_holder_sees_that_it_is_wanted_and_nobody_is_wanted_by_himself(locks):
    locks[0].acquire(0)
    assert not locks[0].is_requested()
    waiter = threading.Thread(target=locks[1].acquire, args=(5,))
    waiter.start()
    wait_for(locks[0].is_requested)
    locks[0].release()
    waiter.join()
    assert not locks[1].is_requested()


def test_who_wants_it_back_waits_behind_those_who_were_there(locks):
    order = []
    locks[0].acquire(0)

    def take(n):
        locks[n].acquire(5)
        order.append(n)
        locks[n].release()

    waiting = []
    for n in (1, 2):
        waiting.append(threading.Thread(target=take, args=(n,)))
        waiting[-1].start()
        wait_for(lambda n=n: len(locks[0]._queue()) == n)
    locks[0].release()
    take(0)
    for thread in waiting:
        thread.join()
    assert order == [1, 2, 0]


def test_a_ticket_that_nobody_touches_is_thrown_away(locks, tmp_path):
    want = tmp_path / "shard" / "want"
    want.mkdir(parents=True)
    dead = want / "00000000000000000001-999999-dead"
    dead.touch()
    os.utime(dead, (1, 1))
    assert not locks[0].is_requested()
    assert not dead.exists()
    locks[0].acquire(0)


def test_giving_up_takes_the_ticket_back(locks, tmp_path):
    locks[0].acquire(0)
    with pytest.raises(ShardBusy):
        locks[1].acquire(0.05)
    assert list((tmp_path / "shard" / "want").iterdir()) == []


def test_an_unreadable_holder_is_still_an_answer(locks, tmp_path):
    locks[0].acquire(0)
    for text in ("", "[]", json.dumps({"pid": "x", "what": 1, "since": "today"})):
        (tmp_path / "shard" / "holder.json").write_text(text)
        with pytest.raises(ShardBusy, match="held by another process; try again"):
            locks[1].acquire(0)


def test_a_lock_whose_file_was_deleted_is_not_taken_for_the_new_one(tmp_path):
    path = tmp_path / "lock"
    first, second, third = OsLock(path), OsLock(path), OsLock(path)
    assert first.acquire()
    path.unlink()
    assert second.acquire()
    first.release()
    assert not third.acquire()
    second.release()
    second.release()
    assert third.acquire()
