"""Names of people and institutions, as CSL-JSON and Zotero write them."""

from collections.abc import Iterable, Mapping
from typing import Any

from citeloom.infrastructure.references.text import plain

# CSL 1.0.2, "Name variables": who is credited for a work that names no author, nearest first.
_ROLES = (
    "author", "editor", "chair", "container-author", "collection-editor", "editorial-director",
    "organizer", "director", "composer", "performer", "illustrator", "interviewer", "compiler",
    "curator", "executive-producer", "producer", "series-creator", "script-writer", "host",
    "narrator", "guest", "translator", "contributor", "recipient", "original-author",
    "reviewed-author",
)  # fmt: skip
_BODIES = ("authority", "publisher", "container-title")
NOBODY = "[no author]"


def authors_of(item: Mapping[str, Any]) -> tuple[str, ...]:
    """Display names of those who answer for a CSL-JSON item: never empty.

    Authors, else editors, else whoever else is named, else the issuing body, else
    ``[no author]``.
    """
    for role in _ROLES:
        if names := _names(item.get(role)):
            return names
    for body in _BODIES:
        if name := plain(item.get(body)):
            return (name,)
    return (NOBODY,)


def _names(value: Any) -> tuple[str, ...]:
    people: Iterable[Any]
    if isinstance(value, str):
        people = value.split(" and ") if " and " in value else value.split(";")
    elif isinstance(value, Mapping):
        people = (value,)
    elif isinstance(value, list):
        people = value
    else:
        people = ()
    names = (display_name(person) for person in people)
    return tuple(dict.fromkeys(name for name in names if name))


def display_name(person: Any) -> str:
    """``Given particle Family, Suffix``; a name in one piece as it stands."""
    if isinstance(person, str):
        family, comma, given = person.partition(",")
        return plain(f"{given} {family}" if comma else person)
    if not isinstance(person, Mapping):
        return ""
    whole = plain(person.get("literal")) or plain(person.get("name"))
    if whole:
        return whole
    family = " ".join(
        part
        for key in ("dropping-particle", "non-dropping-particle", "family")
        if (part := plain(person.get(key)))
    )
    parts = (plain(person.get("given")), family)
    if person.get("static-ordering"):
        parts = (family, plain(person.get("given")))
    name = " ".join(part for part in parts if part)
    suffix = plain(person.get("suffix"))
    return f"{name}, {suffix}" if name and suffix else name
