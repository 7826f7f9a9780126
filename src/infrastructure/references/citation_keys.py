"""Citation keys of read items: stated ones, generated ones, and conflicts among them."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar
from urllib.parse import unquote, urlsplit

from pydantic import ValidationError

from citeloom.application.ports.citation import Attachment
from citeloom.domain.citation.metadata import NOBODY, CitationMeta
from citeloom.domain.references.dates import year_of
from citeloom.domain.references.provisional import body_part, family_part, made_key
from citeloom.domain.text.phrasing import letter_suffix

from .fields.names import authors_of
from .fields.plain_text import plain
from .formats.csl import given_key, labels, meta_from_csl, title_of, zotero_key
from .formats.source_item import Remark, SourceItem, warnings_of
from .formats.zotero_json import CollectionTree, file_paths, is_work, is_zotero, to_csl


def generated_key(item: Mapping[str, Any]) -> str:
    """``gehl2003Fremtidens``: first author, year, first significant word of the title.

    It depends on the item alone, so that each export gives the same one.
    """
    return made_key(_name(item), year_of(item.get("issued")), title_of(item))


def _name(item: Mapping[str, Any]) -> str:
    for role in ("author", "editor"):
        people = item.get(role)
        first = people[0] if isinstance(people, list) and people else None
        if isinstance(first, Mapping) and plain(first.get("family")):
            names = (first.get("non-dropping-particle"), first.get("family"))
            if name := family_part(" ".join(map(plain, names))):
                return name
    name = authors_of(item)[0]
    return "" if name == NOBODY else body_part(name)


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


class Collected(NamedTuple):
    """The items, attachments and warnings of a reference file."""

    items: tuple[CitationMeta, ...]
    attachments: tuple[Attachment, ...]
    warnings: tuple[str, ...]


@dataclass
class _Entry:
    """An item before its key is assigned: ``position`` counts from 1, as does ``line`` (0 if
    unknown); ``key`` is empty while it has none."""

    position: int
    raw: Mapping[str, Any]
    csl: dict[str, Any]
    key: str
    line: int = 0


def collect(items: list[Any], collections: Any, *, folder: Path) -> Collected:
    """The library of ``items``; relative file paths are resolved against ``folder``.

    A key belongs to the first item with it. A later, different item gets a letter appended, with a
    warning; an exact repetition is dropped.
    """
    warnings: list[Remark] = []
    generated: list[str] = []
    entries = _with_keys(_entries(items, warnings), warnings, generated)
    tree = CollectionTree(collections)
    metadata: list[CitationMeta] = []
    attachments: list[Attachment] = []
    for entry in entries:
        try:
            metadata.append(_meta(entry, tree))
        except ValidationError as error:
            reason = error.errors()[0]["msg"]
            kind = f"{reason}; left out: correct it and export again"
            warnings.append(Remark(_label(entry), kind))
            continue
        attachments += [
            Attachment(path=_resolved(path, folder), citekey=entry.key)
            for path in dict.fromkeys(file_paths(entry.raw))
        ]
    told = (*warnings_of(warnings), *generated)
    return Collected(tuple(metadata), tuple(attachments), told)


def _entries(items: list[Any], warnings: list[Remark]) -> list[_Entry]:
    entries: list[_Entry] = []
    for position, raw in enumerate(items, start=1):
        if isinstance(raw, SourceItem):
            entry = _from_source(position, raw, warnings)
            if _is_usable(entry, warnings):
                entries.append(entry)
            continue
        if isinstance(raw, Mapping) and isinstance(raw.get("data"), Mapping):
            raw = raw["data"]  # Zotero's web API wraps each item
        if not isinstance(raw, Mapping):
            kind = "null" if raw is None else type(raw).__name__
            warnings.append(Remark(f"item {position}", f"not an object but {kind}; left out"))
            continue
        if not is_work(raw):
            continue
        csl = to_csl(raw) if is_zotero(raw) else dict(raw)
        entry = _Entry(position, raw, csl, given_key(csl) or "")
        if _is_usable(entry, warnings):
            entries.append(entry)
    return entries


def _from_source(position: int, item: SourceItem, warnings: list[Remark]) -> _Entry:
    raw = {
        "attachments": list(item.files),
        "tags": list(item.tags),
        "collections": list(item.collections),
    }
    entry = _Entry(position, raw, item.csl, given_key(item.csl) or "", item.line)
    if (id := item.csl.get("id")) and not entry.key:
        reason = "cannot be cited, because of its characters or length"
        reason += "; the item gets another key: correct it"
        warnings.append(Remark(_label(entry), f"the id {reason}", f"{id!r} {reason}"))
    return entry


def _is_usable(entry: _Entry, warnings: list[Remark]) -> bool:
    if not title_of(entry.csl):
        if not entry.key:
            warnings.append(Remark(_label(entry), "neither a title nor a citation key; left out"))
            return False
        warnings.append(Remark(_label(entry), "has no title; found by DOI or file name only"))
    return True


def _with_keys(
    entries: list[_Entry], warnings: list[Remark], generated_keys: list[str]
) -> list[_Entry]:
    """``entries`` without repetitions, each with a unique key."""
    assigned = assign_keys(
        entries, same=lambda one, other: bool(one.key) and one.csl == other.csl, age=_age
    )
    for index, owner, key in assigned.renamed:
        entry = entries[index]
        warnings.append(
            Remark(
                _place(entry),
                "an earlier item has this key; a letter is appended: give each item its own key "
                "and export again",
                f"key {key!r} belongs to {_place(entries[owner])}; "
                f"called {entry.key!r} here: give it its own key and export again",
            )
        )
    if assigned.generated:
        generated = [(entries[index].position, entries[index].key) for index in assigned.generated]
        generated_keys.append(_generated_warning(generated))
    repeated = set(assigned.repeated)
    return [entry for index, entry in enumerate(entries) if index not in repeated]


def _generated_warning(generated: list[tuple[int, str]]) -> str:
    examples = ", ".join(f"item {position} → {key}" for position, key in sorted(generated)[:3])
    if len(generated) == 1:
        return f"1 item has no citation key; made from author, year and title: {examples}"
    more = ", …" if len(generated) > 3 else ""
    return (
        f"{len(generated)} items have no citation key; made from author, year and title: "
        f"{examples}{more}; export from Better BibTeX to have your own"
    )


def _age(entry: _Entry) -> tuple[int, int]:
    """Order of items that would get the same key: Zotero's running number, else position.

    So an item that is added later takes no key away from an older one.
    """
    number = entry.raw.get("itemID")
    return (number if isinstance(number, int) else 0, entry.position)


def _meta(entry: _Entry, tree: CollectionTree) -> CitationMeta:
    if not is_zotero(entry.raw):
        return meta_from_csl(
            entry.csl, entry.key,
            tags=labels(entry.raw.get("tags")), collections=labels(entry.raw.get("collections")),
        )  # fmt: skip
    csl = {"id": entry.key, "citation-key": entry.key, **entry.csl}
    return meta_from_csl(
        csl,
        entry.key,
        item_key=zotero_key(entry.raw),
        tags=labels(entry.raw.get("tags")),
        collections=tree.of(entry.raw),
    )


def _label(entry: _Entry) -> str:
    key = entry.key or plain(entry.csl.get("id"))
    return f"{_place(entry)} ({key})" if key else _place(entry)


def _place(entry: _Entry) -> str:
    return f"item {entry.position}" + (f" at line {entry.line}" if entry.line else "")


def _resolved(path: str, folder: Path) -> str:
    """Path of a file: that of ``file:`` URLs, relative ones resolved against ``folder``."""
    if path.lower().startswith("file:"):
        path = unquote(urlsplit(path).path)
        if path[2:3] == ":":  # file:///C:/papers
            path = path[1:]
    is_windows = path[1:3] in (":\\", ":/") or path.startswith("\\\\")
    if is_windows or path.startswith(("/", "storage:", "attachments:")):
        return path
    if "/" not in path:  # written on Windows, below the folder
        path = path.replace("\\", "/")
    return str(folder / path)
