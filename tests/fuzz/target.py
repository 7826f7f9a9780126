"""A fuzz target: inputs of one reader, and what is done with each."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st


@dataclass(frozen=True)
class Target:
    """``run`` takes one of ``inputs`` and returns if there was a result or a documented error;
    whatever it raises is a bug. ``weight``: how much dearer an input is than reading a line."""

    name: str
    inputs: st.SearchStrategy[Any]
    run: Callable[[Any], None]
    weight: int = 1
