"""Who has which citation key, where several items want the same one or bring none."""

from collections.abc import Callable, Iterable, Iterator
from itertools import count
from typing import Any, NamedTuple, Protocol, TypeVar

from citeloom.infrastructure.references.generated_keys import letters, made_key


class Keyed(Protocol):
    """An item on its way: ``key`` is empty while it has none."""

    csl: dict[str, Any]
    key: str


Entry = TypeVar("Entry", bound=Keyed)


class Settled(NamedTuple):
    """What became of the keys; entries are named by their place in the order given.

    ``repeated``: those that have the key of another on purpose. ``renamed``: entry, owner of
    the key, and the key that it had wanted. ``made``: those that brought none.
    """

    repeated: list[int]
    renamed: list[tuple[int, int, str]]
    made: list[int]


def settle(
    entries: Iterable[Entry],
    *,
    same: Callable[[Entry, Entry], bool],
    age: Callable[[Entry], Any] | None = None,
) -> Settled:
    """Give each entry its key.

    A key belongs to the first that brings it; later ones get it with a letter added, unless
    they are the ``same`` as its owner. Then those that bring none get one made of author,
    year and title, the oldest first (``age``; else in their order), so that one that is added
    later takes no key away.
    """
    listed = list(entries)
    settled = Settled([], [], [])
    owners: dict[str, int] = {}
    suffixes: dict[str, Iterator[int]] = {}
    late: list[int] = []
    for place, entry in enumerate(listed):
        if not entry.key:
            continue
        owner = owners.setdefault(entry.key, place)
        if owner != place:
            is_same = same(entry, listed[owner])
            (settled.repeated if is_same else late).append(place)
    for place in late:
        wanted = listed[place].key
        listed[place].key = _free(wanted, owners, suffixes)
        owners[listed[place].key] = place
        settled.renamed.append((place, owners[wanted], wanted))
    unnamed = [place for place, entry in enumerate(listed) if not entry.key]
    for place in sorted(unnamed, key=lambda n: age(listed[n]) if age else 0):
        entry = listed[place]
        key = made_key(entry.csl)
        settled.made.append(place)
        if key in owners and same(entry, listed[owners[key]]):
            settled.repeated.append(place)
        elif key in owners:
            key = _free(key, owners, suffixes)
        owners.setdefault(key, place)
        entry.key = key
    return settled


def _free(key: str, owners: dict[str, int], suffixes: dict[str, Iterator[int]]) -> str:
    """The first of ``keya``, ``keyb``, …, ``keyz``, ``keyaa`` … that is free."""
    numbers = suffixes.setdefault(key, count())
    return next(name for n in numbers if (name := key + letters(n)) not in owners)
