"""Zotero works as library items with citation keys and citations."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from citeloom.domain.citation.metadata import CiteKey
from citeloom.domain.library.snapshot import KeySource, LibraryCollection, LibraryItem, LibraryRef
from citeloom.domain.references.identifiers import normalise_doi
from citeloom.domain.text.phrasing import shortened
from citeloom.infrastructure.library.raw_items import collections_in, digest_of, tags_in, version_of
from citeloom.infrastructure.references.fields.dates import year_of
from citeloom.infrastructure.references.fields.plain_text import note_field, plain
from citeloom.infrastructure.references.formats.csl import meta_from_csl, title_of
from citeloom.infrastructure.references.formats.zotero_json import to_csl
from citeloom.infrastructure.references.key_conflicts import assign_keys

_RELATED = re.compile(r"/items/([A-Z0-9]{8})$")
_MAX_SHOWN = 3


@dataclass
class RawWork:
    """A raw work before it becomes an item; ``key`` is its citation key, empty while it has none;
    ``invalid_key`` an invalid one."""

    raw: Mapping[str, Any]
    library: LibraryRef
    paths: tuple[str, ...]
    csl: dict[str, Any]
    key: str
    source: KeySource
    invalid_key: str = ""

    @classmethod
    def of(
        cls,
        raw: Mapping[str, Any],
        library: LibraryRef,
        collections: Mapping[str, LibraryCollection],
        better_bibtex_key: str | None,
    ) -> "RawWork":
        """``better_bibtex_key`` is its citation key in Better BibTeX, where known."""
        sources = (
            (KeySource.NATIVE, raw.get("citationKey")),
            (KeySource.BETTER_BIBTEX, better_bibtex_key),
            (KeySource.EXTRA, note_field(raw.get("extra"), "citation key")),
        )
        stated_keys = [
            (source, key.strip()) for source, key in sources if isinstance(key, str) and key
        ]
        usable = next((entry for entry in stated_keys if CiteKey.is_valid(entry[1])), None)
        invalid_key = next((key for _, key in stated_keys if key and not CiteKey.is_valid(key)), "")
        source, key = usable or (KeySource.GENERATED, "")
        return cls(raw, library, _paths(raw, collections), to_csl(raw), key, source, invalid_key)

    @property
    def age(self) -> tuple[str, str]:
        return (utc_timestamp(self.raw.get("dateAdded")) or "9999", self.raw["key"])

    def is_same_work(self, other: "RawWork") -> bool:
        """Whether it is a copy of the other in another library."""
        return self.library != other.library and bool(self._identities & other._identities)

    @property
    def _identities(self) -> set[object]:
        doi = normalise_doi(plain(self.csl.get("DOI")))
        title = title_of(self.csl).casefold()
        return {mark for mark in (doi, title and (title, year_of(self.csl.get("issued")))) if mark}

    def item(self) -> LibraryItem:
        csl = {**self.csl, "id": self.key, "citation-key": self.key}
        return LibraryItem(
            key=self.raw["key"],
            library=self.library,
            version=version_of(self.raw),
            digest=digest_of(self.raw, self.key, self.source.value, *self.paths),
            citation=meta_from_csl(
                csl,
                self.key,
                item_key=self.raw["key"],
                tags=tags_in(self.raw),
                collections=self.paths,
            ),
            key_source=self.source,
            abstract=plain(self.raw.get("abstractNote")) or None,
            added=utc_timestamp(self.raw.get("dateAdded")),
            modified=utc_timestamp(self.raw.get("dateModified")),
            related=_related(self.raw.get("relations")),
        )


def items_of(libraries: Sequence[Sequence[RawWork]], warnings: list[str]) -> list[LibraryItem]:
    """The works of all libraries as items, each with its citation key.

    A key belongs to the oldest item with it, in the order of the libraries; another item gets a
    letter appended, with a warning. Only the copy of a work in another library keeps it.
    """
    works = [work for library in libraries for work in sorted(library, key=lambda w: w.age)]
    warnings += [
        f"{_label(work)}: citation key {work.invalid_key!r} cannot be used; "
        "correct it in Zotero (no blanks, none of \\ { } ( ) [ ] , ; = # % ~ @ and quotes)"
        for work in works
        if work.invalid_key
    ]
    assigned = assign_keys(works, same=RawWork.is_same_work)
    for index, owner, key in assigned.renamed:
        warnings.append(
            f"{_label(works[index])}: citation key {key!r} belongs to item "
            f"{works[owner].raw['key']}; called {works[index].key!r} here: "
            "give it a key of its own in Zotero"
        )
    if assigned.generated:
        sample = ", ".join(
            f"{works[index].raw['key']} → {works[index].key}"
            for index in assigned.generated[:_MAX_SHOWN]
        )
        more = ", …" if len(assigned.generated) > _MAX_SHOWN else ""
        warnings.append(
            f"{len(assigned.generated)} of {len(works)} items have no citation key; made from "
            f"author, year and title: {sample}{more}; Zotero 8 or Better BibTeX give them "
            "keys of their own"
        )
    return [work.item() for work in works]


def utc_timestamp(value: Any) -> str | None:
    """``2021-06-30T14:59:13Z`` for a time as Zotero's API or database writes it (UTC)."""
    text = value.strip() if isinstance(value, str) else ""
    if not text or (text[10:11] == "T" and text.endswith("Z")):
        return text or None
    if len(text) == 19 and text[10] == " ":
        return f"{text[:10]}T{text[11:]}Z"
    day, _, time = text.replace("T", " ").partition(" ")
    return f"{day}T{time.removesuffix('Z')}Z" if time else day


def _label(work: RawWork) -> str:
    title = title_of(work.csl)
    short_title = shortened(title, 60)
    return f"item {work.raw['key']} ({short_title})" if short_title else f"item {work.raw['key']}"


def _paths(raw: Mapping[str, Any], collections: Mapping[str, LibraryCollection]) -> tuple[str, ...]:
    """``Thesis``, ``Thesis/Chapter 2``: the collections of an item and their ancestors, sorted."""
    paths: set[str] = set()
    for key in collections_in(raw):
        collection = collections.get(key)
        while collection is not None and collection.path not in paths:
            paths.add(collection.path)
            collection = collections.get(collection.parent) if collection.parent else None
    return tuple(sorted(paths))


def _related(relations: Any) -> tuple[str, ...]:
    targets = relations.get("dc:relation") if isinstance(relations, Mapping) else None
    addresses = targets if isinstance(targets, list) else [targets]
    matches = (_RELATED.search(address) for address in addresses if isinstance(address, str))
    return tuple(dict.fromkeys(match.group(1) for match in matches if match))
