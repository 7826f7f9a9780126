"""Tables of contents that fit a budget themselves: a book has hundreds of parts."""

from collections.abc import Sequence

from citeloom.domain.resources.observations import Entry, Listed
from citeloom.domain.text.sentences import cut_at_sentence
from citeloom.domain.text.tokens import count_tokens

_SHORTER = (80, 40, 20)
"""Characters of each description, where they are too many."""
_ELEMENT = 12
"""Tokens of the element that an entry stands in, besides what it says."""


def fitted(entries: Sequence[Entry], max_tokens: int) -> tuple[Entry, ...]:
    """``entries`` with their descriptions whole if they have at most ``max_tokens`` tokens,
    else shorter ones, or at last none. No entry is left out."""
    shown = tuple(entries)
    for longest in (*_SHORTER, 0):
        if _tokens(shown) <= max_tokens:
            return shown
        shown = tuple(_shortened(one, longest) for one in entries)
    return shown


def _shortened(one: Entry, longest: int) -> Entry:
    if not isinstance(one, Listed) or one.description is None:
        return one
    description = cut_at_sentence(one.description, longest) if longest else None
    return one.model_copy(update={"description": description})


def _tokens(entries: Sequence[Entry]) -> int:
    return sum(
        _ELEMENT + count_tokens(f"{one.uri} {one.description or ''}")
        if isinstance(one, Listed)
        else count_tokens(one.title)
        for one in entries
    )
