"""Tables of cases that one test goes through.

Each case of ``pytest.mark.parametrize`` is a test of its own, which costs 6 ms before it does
anything: a minute of the suite. It remains for cases that need fixtures of their own
or take long.
"""

import functools
import inspect
import os
from collections.abc import Callable, Iterable
from typing import Any

import pytest

#: Whether a run is to draw more examples and read more papers than that of each change.
MANY = int(os.environ.get("CITELOOM_TEST_EXAMPLES", "25")) >= 100


def each(
    names: str | Iterable[str], cases: Iterable[Any], ids: Callable[[Any], object] = repr
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """As ``pytest.mark.parametrize``: all cases are tried, those that failed are named."""
    wanted = names.replace(" ", "").split(",") if isinstance(names, str) else [*names]
    table = [case if len(wanted) > 1 else (case,) for case in cases]

    def decorated(test: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(test)

        @functools.wraps(test)
        def all_cases(**others: Any) -> None:
            failed = []
            for case in table:
                try:
                    test(**others, **dict(zip(wanted, case, strict=True)))
                except (Exception, pytest.fail.Exception) as error:
                    error.add_note(f"case {', '.join(str(ids(value)) for value in case)}")
                    failed.append(error)
            if failed:
                raise BaseExceptionGroup(f"{len(failed)} of {len(table)} cases", failed)

        left = [one for name, one in signature.parameters.items() if name not in wanted]
        all_cases.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        return all_cases

    return decorated
