"""Assignment of unique citation keys to items with conflicting or missing ones."""

from collections.abc import Callable, Iterable, Iterator
from itertools import count
from typing import Any, NamedTuple, Protocol, TypeVar

from citeloom.domain.text.phrasing import letter_suffix
from citeloom.infrastructure.references.generated_keys import generated_key


class Keyed(Protocol):
    """An item before its key is assigned: ``key`` is empty while it has none."""

    csl: dict[str, Any]
    key: str


Entry = TypeVar("Entry", bound=Keyed)


class AssignedKeys(NamedTuple):
    """Result of the assignment; entries are given by their index.

    ``repeated``: entries that share the key of an equal one. ``renamed``: entry, owner of the key,
    and the original key. ``generated``: entries that had no key.
    """

    repeated: list[int]
    renamed: list[tuple[int, int, str]]
    generated: list[int]


def assign_keys(
    entries: Iterable[Entry],
    *,
    same: Callable[[Entry, Entry], bool],
    age: Callable[[Entry], Any] | None = None,
) -> AssignedKeys:
    """Give each entry its key.

    A key belongs to the first entry with it; later ones get a letter appended, unless they are the
    ``same`` as the owner. Then entries without a key get one made of author, year and title, the
    oldest first (``age``; else in their order), so that one that is added later takes no key away.
    """
    items = list(entries)
    assigned = AssignedKeys([], [], [])
    owners: dict[str, int] = {}
    suffixes: dict[str, Iterator[int]] = {}
    conflicting: list[int] = []
    for index, entry in enumerate(items):
        if not entry.key:
            continue
        owner = owners.setdefault(entry.key, index)
        if owner != index:
            is_same = same(entry, items[owner])
            (assigned.repeated if is_same else conflicting).append(index)
    for index in conflicting:
        original = items[index].key
        items[index].key = _free(original, owners, suffixes)
        owners[items[index].key] = index
        assigned.renamed.append((index, owners[original], original))
    without_key = [index for index, entry in enumerate(items) if not entry.key]
    for index in sorted(without_key, key=lambda n: age(items[n]) if age else 0):
        entry = items[index]
        key = generated_key(entry.csl)
        assigned.generated.append(index)
        if key in owners and same(entry, items[owners[key]]):
            assigned.repeated.append(index)
        elif key in owners:
            key = _free(key, owners, suffixes)
        owners.setdefault(key, index)
        entry.key = key
    return assigned


def _free(key: str, owners: dict[str, int], suffixes: dict[str, Iterator[int]]) -> str:
    """The first free one of ``keya``, ``keyb``, …, ``keyz``, ``keyaa`` …."""
    numbers = suffixes.setdefault(key, count())
    return next(name for n in numbers if (name := key + letter_suffix(n)) not in owners)
