"""Runs of a model in several threads at once, which stop at a checkpoint."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from citeloom.domain.cancellation import checkpoint

Input = TypeVar("Input")
Output = TypeVar("Output")


def in_parallel(
    run: Callable[[Input], Output], inputs: Iterable[Input], threads: int
) -> Iterator[Output]:
    """The outputs in the order of ``inputs``. Before each there is a checkpoint: when it raises,
    or the iterator is closed, those that have begun are finished and no others begin."""
    with ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(run, one) for one in inputs]
        try:
            for future in futures:
                checkpoint()
                yield future.result()
        finally:
            for future in futures:
                future.cancel()
