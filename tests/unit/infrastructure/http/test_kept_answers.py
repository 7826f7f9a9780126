"""Answers kept by idempotency keys: how long, how many, and for which process."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from citeloom.domain.errors import StorageFailed
from citeloom.infrastructure.http.idempotency.kept_answers import (
    SECONDS,
    GivenAnswer,
    KeptAnswers,
    KeyedRequest,
)

ANSWER = GivenAnswer("d1", 201, [("content-type", "application/json")], b'{"id": 1}')


class Clock:
    def __init__(self) -> None:
        self.at = 1_000_000.0

    def __call__(self) -> float:
        return self.at


def asked(key: str, *, is_passing: bool = False) -> KeyedRequest:
    return KeyedRequest(key, "POST /chats?", is_passing)


def refuse_changes(path: Path) -> None:
    """What is stored stays as it is, as on a full disk."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for change in ("UPDATE", "DELETE"):
            connection.execute(
                f"CREATE TRIGGER refused_{change} BEFORE {change} ON answers "
                "BEGIN SELECT RAISE(ABORT, 'disk full'); END"
            )


def allow_changes(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for change in ("UPDATE", "DELETE"):
            connection.execute(f"DROP TRIGGER refused_{change}")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "answers.sqlite"


def test_an_answer_is_given_again_for_a_day(path: Path) -> None:
    clock = Clock()
    answers = KeptAnswers(path, clock)
    assert answers.begin(asked("a")) is None
    answers.keep("a", ANSWER)
    clock.at += SECONDS - 1
    known = answers.begin(asked("a"))
    assert known is not None
    assert known.answer == ANSWER
    clock.at += 1
    assert answers.begin(asked("a")) is None


def test_the_oldest_answers_are_forgotten_first_and_never_what_is_under_way(path: Path) -> None:
    clock = Clock()
    answers = KeptAnswers(path, clock, most=2)
    for key in ("under way", "a", "b", "c"):
        clock.at += 1
        assert answers.begin(asked(key)) is None
        if key != "under way":
            answers.keep(key, ANSWER)
    assert answers.begin(asked("a")) is None
    for key in ("under way", "c"):
        assert answers.begin(asked(key)) is not None


def test_another_process_knows_what_was_done_and_what_was_broken_off(path: Path) -> None:
    first = KeptAnswers(path, Clock())
    for key in ("done", "broken off"):
        first.begin(asked(key))
    first.keep("done", ANSWER)
    second = KeptAnswers(path, Clock())
    done, broken = second.begin(asked("done")), second.begin(asked("broken off"))
    assert done is not None
    assert broken is not None
    assert (done.answer, done.is_lost) == (ANSWER, False)
    assert (broken.answer, broken.is_lost) == (None, True)


def test_what_ends_with_a_process_is_begun_anew_by_the_next_one(path: Path) -> None:
    first = KeptAnswers(path, Clock())
    first.begin(asked("job", is_passing=True))
    first.keep("job", ANSWER)
    second = KeptAnswers(path, Clock())
    assert second.begin(asked("job", is_passing=True)) is None
    assert second.begin(asked("job", is_passing=True)) is not None


def test_a_file_that_is_damaged_is_named(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"no database" * 100)
    with pytest.raises(StorageFailed, match=r"answers\.sqlite: cannot be used"):
        KeptAnswers(path, Clock()).begin(asked("a"))


def test_an_answer_that_cannot_be_stored_is_lost_at_once(path: Path) -> None:
    clock = Clock()
    answers = KeptAnswers(path, clock)
    for key in ("done", "refused"):
        answers.begin(asked(key))
    refuse_changes(path)
    with pytest.raises(StorageFailed):
        answers.keep("done", ANSWER)
    with pytest.raises(StorageFailed):
        answers.forget("refused")
    for key in ("done", "refused"):
        known = answers.begin(asked(key))
        assert known is not None
        assert (known.answer, known.is_lost) == (None, True)


def test_a_key_whose_answer_was_lost_is_free_after_a_day(path: Path) -> None:
    clock = Clock()
    answers = KeptAnswers(path, clock)
    answers.begin(asked("a"))
    refuse_changes(path)
    with pytest.raises(StorageFailed):
        answers.keep("a", ANSWER)
    allow_changes(path)
    clock.at += SECONDS
    assert answers.begin(asked("a")) is None
    known = answers.begin(asked("a"))
    assert known is not None
    assert not known.is_lost
