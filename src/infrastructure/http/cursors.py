"""Pages of lists: a cursor says where the next one begins."""

import base64
import binascii
import hashlib
from collections.abc import Callable, Sequence
from typing import Annotated, TypeVar

from fastapi import Query

from citeloom.domain.errors import InvalidRequest

T = TypeVar("T")

Limit = Annotated[int, Query(ge=1, le=500, description="Entries of a page.")]
Cursor = Annotated[
    str | None, Query(max_length=500, description="`next` of the page before this one.")
]


def page_of(
    entries: Sequence[T], identity: Callable[[T], str], limit: int, cursor: str | None, about: str
) -> tuple[Sequence[T], str | None]:
    """The entries after the one that ``cursor`` names, and the next cursor. ``about`` is what the
    list was asked for: a cursor goes with it alone. If its entry is gone, the page begins at the
    same number. Raises InvalidRequest."""
    asked = hashlib.sha256(about.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    start = _start(entries, identity, cursor, asked) if cursor else 0
    shown = entries[start : start + limit]
    if start + limit >= len(entries):
        return shown, None
    text = f"{asked} {start + limit} {identity(shown[-1])}"
    return shown, base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _start(entries: Sequence[T], identity: Callable[[T], str], cursor: str, asked: str) -> int:
    try:
        text = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
        of, number, last = text.split(" ", 2)
        start = int(number)
    except (ValueError, binascii.Error):
        raise InvalidRequest(
            "cursor: not one that a list gave; leave it out to begin", parameter="cursor"
        ) from None
    if of != asked or start < 0:
        raise InvalidRequest(
            "cursor: of another list; keep the other parameters, or leave it out to begin",
            parameter="cursor",
        )
    after = [n for n, one in enumerate(entries, start=1) if identity(one) == last]
    return after[0] if after else min(start, len(entries))
