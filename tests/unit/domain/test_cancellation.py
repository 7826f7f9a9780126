"""Cancellation: a checkpoint raises what whoever started the work wants, and nothing elsewhere."""

import threading

import pytest

from citeloom.domain.progress import Cancelled, cancellable, checkpoint


def refuse() -> None:
    raise Cancelled


def test_without_anybody_who_could_cancel_nothing_happens() -> None:
    checkpoint()


def test_the_innermost_check_counts_and_ends_with_its_block() -> None:
    with cancellable(refuse):
        with cancellable(lambda: None):
            checkpoint()
        with pytest.raises(Cancelled):
            checkpoint()
    checkpoint()


def test_another_thread_is_not_concerned() -> None:
    reached: list[str] = []

    def other() -> None:
        checkpoint()
        reached.append("here")

    with cancellable(refuse):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()

    assert reached == ["here"]
