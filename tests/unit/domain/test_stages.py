"""Stages are told to whoever measures them, and cost nothing where nobody does."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import copy_context
from threading import Thread

import pytest

from citeloom.domain.progress import measured, stage


class Heard:
    def __init__(self) -> None:
        self.told: list[str] = []

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        self.told.append(f"+{name}")
        try:
            yield
        finally:
            self.told.append(f"-{name}")


def test_every_measure_around_a_stage_hears_it() -> None:
    outer, inner = Heard(), Heard()
    with measured(outer):
        with measured(inner), stage("embed"):
            pass
        with stage("rank"):
            pass
    with stage("nobody"):
        pass
    assert (outer.told, inner.told) == (
        ["+embed", "-embed", "+rank", "-rank"],
        ["+embed", "-embed"],
    )


def test_a_stage_that_fails_ends_and_its_error_goes_on() -> None:
    heard = Heard()
    with pytest.raises(LookupError), measured(heard), stage("embed"):
        raise LookupError
    assert heard.told == ["+embed", "-embed"]


def test_threads_with_the_context_are_measured_and_others_are_not() -> None:
    heard = Heard()

    def work() -> None:
        with stage("embed"):
            pass

    with measured(heard):
        context = copy_context()
        for target in (work, lambda: context.run(work)):
            thread = Thread(target=target)
            thread.start()
            thread.join()
    assert heard.told == ["+embed", "-embed"]
