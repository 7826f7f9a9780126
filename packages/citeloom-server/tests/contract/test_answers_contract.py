"""Every record of answers does the same: in memory, on SQLite, on PostgreSQL."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Barrier

import pytest
from support.in_memory.server.answer_record import InMemoryAnswerRecord
from support.stores.catalogues import STORES, reopening

from citeloom_server.application.answers import AnswerRecord, GivenAnswer, KnownKey, RequestKey
from citeloom_server.infrastructure.idempotency.requests import KEPT_FOR, SqlAnswerRecord

Reopen = Callable[[], AnswerRecord]
NOW = datetime(2026, 3, 1, 12, 30, 15, 123456, tzinfo=UTC)
ANSWER = GivenAnswer(
    digest="d1", status=201, headers=(("content-type", "application/json"),), body=b'{"id": 1}\xff'
)


@pytest.fixture(params=STORES)
def reopen(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Reopen]:
    yield from reopening(request, tmp_path, InMemoryAnswerRecord, SqlAnswerRecord)


@pytest.fixture
def record(reopen: Reopen) -> AnswerRecord:
    return reopen()


def asked(key: str, owner: str = "") -> RequestKey:
    return RequestKey(owner=owner, key=key, target="POST /chats?")


def known(record: AnswerRecord, key: str, at: datetime = NOW) -> KnownKey | None:
    return record.begin(asked(key), "two", at)


def test_another_process_gives_the_answer_again_for_a_day(reopen: Reopen) -> None:
    record, other = reopen(), reopen()
    assert record.begin(asked("a"), "one", NOW) is None
    record.keep(asked("a"), ANSWER)
    found = known(other, "a", NOW + KEPT_FOR - timedelta(seconds=1))
    assert found is not None
    assert (found.target, found.answer, found.worker) == ("POST /chats?", ANSWER, "one")
    assert known(other, "a", NOW + KEPT_FOR) is None


def test_what_is_under_way_is_told_with_its_worker_and_when_that_was_heard(reopen: Reopen) -> None:
    record, other = reopen(), reopen()
    record.begin(asked("a"), "one", NOW)
    record.begin(asked("b"), "one", NOW + timedelta(seconds=7))
    found = known(other, "a")
    assert found is not None
    assert (found.answer, found.worker) == (None, "one")
    assert found.heard_at == NOW + timedelta(seconds=7)


def test_a_key_that_is_forgotten_is_free_again(record: AnswerRecord) -> None:
    record.begin(asked("a"), "one", NOW)
    record.forget(asked("a"))
    record.forget(asked("never sent"))
    assert known(record, "a") is None


def test_keys_of_two_principals_are_two(record: AnswerRecord) -> None:
    assert record.begin(asked("a", "ada"), "one", NOW) is None
    assert record.begin(asked("a", "ben"), "one", NOW) is None
    record.keep(asked("a", "ada"), ANSWER)
    assert record.begin(asked("a", "ada"), "one", NOW) is not None
    record.forget(asked("a", "ben"))
    assert record.begin(asked("a", "ben"), "one", NOW) is None


def test_the_oldest_answers_are_forgotten_first_and_never_what_is_under_way(
    record: AnswerRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (
        "citeloom_server.infrastructure.idempotency.requests",
        "support.in_memory.server.answer_record",
    ):
        monkeypatch.setattr(f"{module}.MOST", 2)
    for second, key in enumerate(("under way", "a", "b", "c")):
        at = NOW + timedelta(seconds=second)
        assert record.begin(asked(key), "one", at) is None
        if key != "under way":
            record.keep(asked(key), ANSWER)
    later = NOW + timedelta(seconds=9)
    assert known(record, "a", later) is None
    for key in ("under way", "c"):
        assert known(record, key, later) is not None


def test_of_processes_that_are_sent_a_key_at_once_one_begins(reopen: Reopen) -> None:
    records = [reopen() for _ in range(4)]
    together = Barrier(4)

    def begin(number: int) -> bool:
        together.wait(30)
        return records[number].begin(asked("a"), str(number), NOW) is None

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(begin, range(4))) == 1
