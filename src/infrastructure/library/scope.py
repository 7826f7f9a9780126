"""Libraries and collections selected by a scope of names and keys."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from citeloom.domain.errors import InvalidRequest
from citeloom.domain.library.snapshot import (
    LibraryCollection,
    LibraryKind,
    LibraryRef,
    LibraryScope,
)
from citeloom.domain.near_names import CLOSE, nearest
from citeloom.infrastructure.references.fields.plain_text import plain

_MAX_SHOWN = 12

T = TypeVar("T")


def chosen_libraries(
    libraries: Iterable[LibraryRef], scope: LibraryScope
) -> tuple[LibraryRef, ...]:
    """The libraries of ``scope``: the user's own first, then groups by number.

    Raises InvalidRequest for an unknown group, naming the known ones, and if no library is
    selected.
    """
    user_libraries = [library for library in libraries if library.kind is LibraryKind.USER]
    groups = sorted(
        (library for library in libraries if library.kind is LibraryKind.GROUP),
        key=lambda library: library.id,
    )
    chosen: dict[LibraryRef, None] = dict.fromkeys(user_libraries if scope.user else ())
    for name in scope.groups:
        if name == "*":
            chosen.update(dict.fromkeys(groups))
            continue
        matching = _matching(name, groups, (lambda group: str(group.id), lambda group: group.name))
        if not matching:
            raise unknown_name(
                "group library",
                name,
                {group.name: f"{group.name} ({group.id})" for group in groups},
            )
        chosen.update(dict.fromkeys(matching))
    if not chosen:
        raise InvalidRequest("no library is meant: neither her own nor a group's; name a group")
    return tuple(chosen)


def known_collections(
    raw: Iterable[Mapping[str, Any]], library: LibraryRef
) -> dict[str, LibraryCollection]:
    """The collections of one library by key, without those in the trash and their descendants."""
    nodes = {
        str(node["key"]): node for node in raw if isinstance(node.get("key"), str) and node["key"]
    }
    collections: dict[str, LibraryCollection] = {}
    for key, node in nodes.items():
        chain = _chain(key, nodes)
        if any(nodes[above].get("deleted") for above in chain):
            continue
        collections[key] = LibraryCollection(
            key=key,
            library=library,
            name=_name(node),
            path="/".join(_name(nodes[above]) for above in reversed(chain)),
            parent=chain[1] if len(chain) > 1 else None,
        )
    return collections


def chosen_collections(
    collections: Sequence[LibraryCollection], scope: LibraryScope, warnings: list[str]
) -> set[tuple[LibraryRef, str]]:
    """Library and key of the collections that ``scope`` names, and of their descendants.

    A key goes before a path, a path before a name, exact spelling before other case; a name of
    several collections selects all of them, with a warning. Raises InvalidRequest for an unknown
    one, naming the known ones.
    """
    chosen: set[tuple[LibraryRef, str]] = set()
    for name in scope.collections:
        matching = _matching(
            name.strip("/"), collections, (lambda c: c.key, lambda c: c.path, lambda c: c.name)
        )
        if not matching:
            names = {collection.name: collection.path for collection in collections}
            by_path = {collection.path: collection.path for collection in collections}
            raise unknown_name("collection", name, {**names, **by_path})
        if len(matching) > 1:
            paths = ", ".join(f"{each.path} ({each.library.name}, {each.key})" for each in matching)
            warnings.append(f"{name}: {len(matching)} collections, all meant: {paths}")
        chosen.update((collection.library, collection.key) for collection in matching)
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
    """``key`` and its ancestors, upwards; a cycle is cut where it closes."""
    chain: list[str] = []
    current: Any = key
    while isinstance(current, str) and current in nodes and current not in chain:
        chain.append(current)
        current = nodes[current].get("parentCollection")
    return chain


def _matching(name: str, options: Sequence[T], names: Sequence[Callable[[T], str]]) -> list[T]:
    for name_of in names:
        if matching := [one for one in options if name_of(one) == name]:
            return matching
    folded = name.casefold()
    for name_of in names:
        if matching := [one for one in options if name_of(one).casefold() == folded]:
            return matching
    return []


def unknown_name(what: str, name: str, options: Mapping[str, str]) -> InvalidRequest:
    """The refusal of a name that selects nothing, with the nearest ones. ``options``: how each
    option is displayed, by a name that selects it."""
    near = nearest(name, {one: (one,) for one in options}, at_least=CLOSE, whole=True)
    similar = list(dict.fromkeys(options[option] for option in near))
    displayed = sorted(set(options.values()), key=str.casefold)
    if not displayed:
        hint = "there is none"
    elif similar:
        hint = f"did you mean {' or '.join(similar)}?"
    else:
        more = f", … ({len(displayed)} in all)" if len(displayed) > _MAX_SHOWN else ""
        hint = f"there are: {', '.join(displayed[:_MAX_SHOWN])}{more}"
    return InvalidRequest(
        f"{name}: no such {what}; {hint}", wanted=name, there=displayed, similar=similar
    )
