"""Runs in parallel: in order, and none begins after a cancellation."""

import threading

import pytest

from citeloom.domain.progress import Cancelled, cancellable
from citeloom.infrastructure.models.onnx import in_parallel


def test_outputs_have_the_order_of_the_inputs() -> None:
    assert list(in_parallel(lambda n: n * n, range(20), 3)) == [n * n for n in range(20)]


def test_after_a_cancellation_no_other_run_begins() -> None:
    begun: list[int] = []
    first_done = threading.Event()

    def run(n: int) -> int:
        begun.append(n)
        if n:
            first_done.wait(10)
        return n

    def refuse_after_first() -> None:
        if first_done.is_set():
            raise Cancelled

    with cancellable(refuse_after_first):
        outputs = in_parallel(run, range(100), 1)
        assert next(outputs) == 0
        first_done.set()
        with pytest.raises(Cancelled):
            list(outputs)

    assert len(begun) < 100
