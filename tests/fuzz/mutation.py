"""Strategies that change good inputs: texts piece by piece, JSON documents value by value."""

import copy
from collections.abc import Iterator, Sequence
from typing import Any

from hypothesis import strategies as st

#: What readers stumble over, in any format.
ODD_TEXTS = (
    "", " ", "\0", "\x1b[31m", "\u202e", "\u200b", "\ufeff", "\ud800", "\U0001f600", "é", "e\u0301",
    "ﬁ", "İ", "ß", "٣", "²", "½", "\r\n", "\u2028", "\x85", "-1", "0", "1e400", "9" * 30,
    "9" * 5000, "NaN",
    "../../x", "file:///etc/passwd", "%00", "%2e%2e", "$" * 3, "{" * 40, "(" * 40, "[" * 40,
    "a" * 500, "𝟙", "１", "null", "{{x}}",
)  # fmt: skip
ODD_NUMBERS = (0, -1, 1, 2**31, 2**63 - 1, 2**63, -(2**63) - 1, 10**30, 0.5, -0.0, 1e308)

_texts = st.text(max_size=8) | st.sampled_from(ODD_TEXTS)
_plain = st.none() | st.booleans() | st.integers() | st.floats() | _texts
#: Any value that JSON can bring, lone surrogates and numbers that are none among them.
VALUES = st.recursive(
    _plain | st.sampled_from(ODD_NUMBERS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_texts, inner, max_size=3),
    max_leaves=5,
)


def texts(seeds: Sequence[str], pieces: Sequence[str] = ()) -> st.SearchStrategy[str]:
    """One of ``seeds`` with up to eight changes: so many characters at a place are replaced by a
    piece of the format, or by an odd text."""
    piece = st.sampled_from([*pieces, *ODD_TEXTS]) | st.text(max_size=6)
    change = st.tuples(st.integers(0, 1 << 16), st.integers(0, 40), piece)
    return st.builds(_changed, st.sampled_from(seeds), st.lists(change, max_size=8))


def documents(seeds: Sequence[Any]) -> st.SearchStrategy[Any]:
    """One of ``seeds`` with up to four of its values replaced."""
    change = st.tuples(st.integers(0, 1 << 16), VALUES)
    return st.builds(_replaced, st.sampled_from(seeds), st.lists(change, max_size=4))


def _changed(text: str, changes: list[tuple[int, int, str]]) -> str:
    for place, length, piece in changes:
        start = place % (len(text) + 1)
        text = text[:start] + piece + text[start + length :]
    return text


def _replaced(document: Any, changes: list[tuple[int, Any]]) -> Any:
    held = {"": copy.deepcopy(document)}
    for which, value in changes:
        places = list(_places(held))
        container, key = places[which % len(places)]
        container[key] = value
    return held[""]


def _places(container: Any) -> Iterator[tuple[Any, Any]]:
    """Each value as its container and its key there."""
    keys = list(container) if isinstance(container, dict) else range(len(container))
    for key in keys:
        yield container, key
        if isinstance(container[key], dict | list):
            yield from _places(container[key])
