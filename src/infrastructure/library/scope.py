"""Which libraries and collections are meant, by what a person typed."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, TypeVar

from citeloom.domain.errors import InvalidRequest
from citeloom.domain.library.snapshot import (
    LibraryCollection,
    LibraryKind,
    LibraryRef,
    LibraryScope,
)
from citeloom.infrastructure.references.fields.plain_text import plain

_SHOWN = 12

Named = TypeVar("Named")


def chosen_libraries(
    libraries: Iterable[LibraryRef], scope: LibraryScope
) -> tuple[LibraryRef, ...]:
    """Those of ``libraries`` that ``scope`` means: her own first, then groups by number.

    Raises InvalidRequest for a group that is not there, naming those that are, and if none
    is meant at all.
    """
    own = [library for library in libraries if library.kind is LibraryKind.USER]
    groups = sorted(
        (library for library in libraries if library.kind is LibraryKind.GROUP),
        key=lambda library: library.id,
    )
    chosen: dict[LibraryRef, None] = dict.fromkeys(own if scope.user else ())
    for wanted in scope.groups:
        if wanted == "*":
            chosen.update(dict.fromkeys(groups))
            continue
        found = _matching(wanted, groups, (lambda group: str(group.id), lambda group: group.name))
        if not found:
            raise _unknown(
                "group library",
                wanted,
                {group.name: f"{group.name} ({group.id})" for group in groups},
            )
        chosen.update(dict.fromkeys(found))
    if not chosen:
        raise InvalidRequest("no library is meant: neither her own nor a group's; name a group")
    return tuple(chosen)


def known_collections(
    raw: Iterable[Mapping[str, Any]], library: LibraryRef
) -> dict[str, LibraryCollection]:
    """The collections of one library by key, those in the bin (and what is below them) apart."""
    nodes = {
        str(node["key"]): node for node in raw if isinstance(node.get("key"), str) and node["key"]
    }
    found: dict[str, LibraryCollection] = {}
    for key, node in nodes.items():
        chain = _chain(key, nodes)
        if any(nodes[above].get("deleted") for above in chain):
            continue
        found[key] = LibraryCollection(
            key=key,
            library=library,
            name=_name(node),
            path="/".join(_name(nodes[above]) for above in reversed(chain)),
            parent=chain[1] if len(chain) > 1 else None,
        )
    return found


def chosen_collections(
    collections: Sequence[LibraryCollection], scope: LibraryScope, warnings: list[str]
) -> set[tuple[LibraryRef, str]]:
    """Library and key of those that ``scope`` names, with all that is below them.

    A key goes before a path, a path before a name, exact spelling before other case; a name
    that several collections have means all of them, with a warning. Raises InvalidRequest
    for one that is not there, naming those that are.
    """
    chosen: set[tuple[LibraryRef, str]] = set()
    for wanted in scope.collections:
        found = _matching(
            wanted.strip("/"), collections, (lambda c: c.key, lambda c: c.path, lambda c: c.name)
        )
        if not found:
            names = {collection.name: collection.path for collection in collections}
            by_path = {collection.path: collection.path for collection in collections}
            raise _unknown("collection", wanted, {**names, **by_path})
        if len(found) > 1:
            paths = ", ".join(f"{each.path} ({each.library.name}, {each.key})" for each in found)
            warnings.append(f"{wanted}: {len(found)} collections, all meant: {paths}")
        chosen.update((collection.library, collection.key) for collection in found)
    below: dict[tuple[LibraryRef, str], list[LibraryCollection]] = {}
    for collection in collections:
        if collection.parent:
            below.setdefault((collection.library, collection.parent), []).append(collection)
    waiting = list(chosen)
    while waiting:
        for child in below.get(waiting.pop(), ()):
            if (child.library, child.key) not in chosen:
                chosen.add((child.library, child.key))
                waiting.append((child.library, child.key))
    return chosen


def _name(node: Mapping[str, Any]) -> str:
    return plain(node.get("name")) or str(node["key"])


def _chain(key: str, nodes: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """``key`` and those above it, upwards; a circle is cut where it closes."""
    chain: list[str] = []
    current: Any = key
    while isinstance(current, str) and current in nodes and current not in chain:
        chain.append(current)
        current = nodes[current].get("parentCollection")
    return chain


def _matching(
    wanted: str, among: Sequence[Named], names: Sequence[Callable[[Named], str]]
) -> list[Named]:
    for name in names:
        if found := [one for one in among if name(one) == wanted]:
            return found
    folded = wanted.casefold()
    for name in names:
        if found := [one for one in among if name(one).casefold() == folded]:
            return found
    return []


def _unknown(what: str, wanted: str, there: Mapping[str, str]) -> InvalidRequest:
    """``there``: what each is shown as, by a name that it can be asked for with."""
    folded = {name.casefold(): shown for name, shown in there.items()}
    close = get_close_matches(wanted.casefold(), folded, n=3, cutoff=0.7)
    similar = list(dict.fromkeys(folded[name] for name in close))
    shown = sorted(set(there.values()), key=str.casefold)
    if not shown:
        hint = "there is none"
    elif similar:
        hint = f"did you mean {' or '.join(similar)}?"
    else:
        more = f", … ({len(shown)} in all)" if len(shown) > _SHOWN else ""
        hint = f"there are: {', '.join(shown[:_SHOWN])}{more}"
    return InvalidRequest(
        f"{wanted}: no such {what}; {hint}", wanted=wanted, there=shown, similar=similar
    )
