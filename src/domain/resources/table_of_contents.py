"""Fitting a table of contents to a token budget."""

from collections.abc import Sequence

from citeloom.domain.resources.observations import Entry, Listed
from citeloom.domain.text.sentences import cut_at_sentence
from citeloom.domain.text.tokens import count_tokens

_SHORTER = (80, 40, 20)
"""Successive limits of descriptions, in characters."""
_ELEMENT = 12
"""Tokens of an entry's markup."""


def fit_to_budget(entries: Sequence[Entry], max_tokens: int) -> tuple[Entry, ...]:
    """``entries`` with descriptions shortened, or finally dropped, to fit ``max_tokens``. No entry
    is left out."""
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
