"""Answers kept by idempotency keys: what is under way, and what is lost."""

import os
import subprocess
import sys
from datetime import timedelta

import pytest
from support.builders import A_DAY, SteadyClock
from support.in_memory.server.answer_record import InMemoryAnswerRecord

from citeloom.domain.errors import StorageFailed
from citeloom.domain.leases import DEAD_AFTER
from citeloom.infrastructure.system.locks import new_process_name
from citeloom_server.application.answers import GivenAnswer, RequestKey
from citeloom_server.infrastructure.idempotency.requests import KeptAnswers

ANSWER = GivenAnswer(digest="d1", status=201, headers=(), body=b"{}")


class FullDisk(InMemoryAnswerRecord):
    """What is there stays as it is while the disk is full."""

    is_full = True

    def keep(self, request: RequestKey, answer: GivenAnswer) -> None:
        self._refuse()
        super().keep(request, answer)

    def forget(self, request: RequestKey) -> None:
        self._refuse()
        super().forget(request)

    def _refuse(self) -> None:
        if self.is_full:
            raise StorageFailed("the disk is full")


def asked(key: str) -> RequestKey:
    return RequestKey(key=key, target="POST /chats?")


def at_process(record: InMemoryAnswerRecord, worker: str = "here:1:a") -> KeptAnswers:
    return KeptAnswers(record, SteadyClock(), worker)


def test_a_request_that_another_process_works_on_is_under_way() -> None:
    record = InMemoryAnswerRecord()
    at_process(record).begin(asked("a"))
    known = at_process(record, "there:2:b").begin(asked("a"))
    assert known is not None
    assert (known.answer, known.is_lost) == (None, False)


def test_what_a_process_began_that_is_silent_is_lost() -> None:
    record = InMemoryAnswerRecord()
    record.begin(asked("a"), "there:2:b", A_DAY - DEAD_AFTER)
    answers = at_process(record)
    known = answers.begin(asked("a"))
    assert known is not None
    assert known.is_lost
    record.begin(asked("b"), "there:2:b", A_DAY + timedelta(seconds=1))
    alive = answers.begin(asked("a"))
    assert alive is not None
    assert not alive.is_lost


@pytest.mark.skipif(os.name == "nt", reason="there is no harmless signal")
def test_what_a_process_of_this_machine_began_that_has_ended_is_lost_at_once() -> None:
    named = "from citeloom.infrastructure.system.locks import new_process_name as name"
    code = f"{named}; print(name())"
    worker = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout.strip()
    record = InMemoryAnswerRecord()
    record.begin(asked("dead"), worker, A_DAY)
    record.begin(asked("alive"), new_process_name(), A_DAY)
    answers = at_process(record)
    dead, alive = answers.begin(asked("dead")), answers.begin(asked("alive"))
    assert dead is not None
    assert alive is not None
    assert (dead.is_lost, alive.is_lost) == (True, False)


def test_an_answer_that_cannot_be_stored_is_lost_until_the_key_is_free() -> None:
    record = FullDisk()
    answers = at_process(record)
    for key in ("done", "refused"):
        answers.begin(asked(key))
    with pytest.raises(StorageFailed):
        answers.keep(asked("done"), ANSWER)
    with pytest.raises(StorageFailed):
        answers.forget(asked("refused"))
    for key in ("done", "refused"):
        known = answers.begin(asked(key))
        assert known is not None
        assert (known.answer, known.is_lost) == (None, True)
    record.is_full = False
    answers.forget(asked("done"))
    assert answers.begin(asked("done")) is None
    again = answers.begin(asked("done"))
    assert again is not None
    assert not again.is_lost
