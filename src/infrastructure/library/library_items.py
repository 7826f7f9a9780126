"""Zotero's works as items of a library: citation keys settled, citations built."""

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
from citeloom.infrastructure.references.key_conflicts import settle

_RELATED = re.compile(r"/items/([A-Z0-9]{8})$")
_SHOWN = 3


@dataclass
class RawWork:
    """A raw work on its way; ``key`` is its citation key, empty while it has none, and
    ``wrong`` one that cannot be used."""

    raw: Mapping[str, Any]
    library: LibraryRef
    paths: tuple[str, ...]
    csl: dict[str, Any]
    key: str
    source: KeySource
    wrong: str = ""

    @classmethod
    def of(
        cls,
        raw: Mapping[str, Any],
        library: LibraryRef,
        collections: Mapping[str, LibraryCollection],
        elsewhere: str | None,
    ) -> "RawWork":
        """``elsewhere`` is Better BibTeX's citation key of it, where that is known."""
        stated = (
            (KeySource.NATIVE, raw.get("citationKey")),
            (KeySource.BETTER_BIBTEX, elsewhere),
            (KeySource.EXTRA, note_field(raw.get("extra"), "citation key")),
        )
        given = [(source, key.strip()) for source, key in stated if isinstance(key, str) and key]
        usable = next((entry for entry in given if CiteKey.is_valid(entry[1])), None)
        wrong = next((key for _, key in given if key and not CiteKey.is_valid(key)), "")
        source, key = usable or (KeySource.GENERATED, "")
        return cls(raw, library, _paths(raw, collections), to_csl(raw), key, source, wrong)

    @property
    def age(self) -> tuple[str, str]:
        return (moment(self.raw.get("dateAdded")) or "9999", self.raw["key"])

    def is_same_work(self, other: "RawWork") -> bool:
        """Whether it is the other's copy in another library."""
        return self.library != other.library and bool(self._marks & other._marks)

    @property
    def _marks(self) -> set[object]:
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
            added=moment(self.raw.get("dateAdded")),
            modified=moment(self.raw.get("dateModified")),
            related=_related(self.raw.get("relations")),
        )


def items_of(libraries: Sequence[Sequence[RawWork]], warnings: list[str]) -> list[LibraryItem]:
    """The works of all libraries as items, each with its citation key.

    A key belongs to the oldest item that has it, of the library named first; another one gets
    it with a letter, and a warning. Only the copy of a work in another library keeps it.
    """
    works = [work for library in libraries for work in sorted(library, key=lambda w: w.age)]
    warnings += [
        f"{_named(work)}: citation key {work.wrong!r} cannot be used; "
        "correct it in Zotero (no blanks, none of \\ { } ( ) [ ] , ; = # % ~ @ and quotes)"
        for work in works
        if work.wrong
    ]
    settled = settle(works, same=RawWork.is_same_work)
    for place, owner, wanted in settled.renamed:
        warnings.append(
            f"{_named(works[place])}: citation key {wanted!r} belongs to item "
            f"{works[owner].raw['key']}; called {works[place].key!r} here: "
            "give it a key of its own in Zotero"
        )
    if settled.made:
        shown = ", ".join(
            f"{works[place].raw['key']} → {works[place].key}" for place in settled.made[:_SHOWN]
        )
        more = ", …" if len(settled.made) > _SHOWN else ""
        warnings.append(
            f"{len(settled.made)} of {len(works)} items have no citation key; made from author, "
            f"year and title: {shown}{more}; Zotero 8 or Better BibTeX give them keys of their own"
        )
    return [work.item() for work in works]


def moment(value: Any) -> str | None:
    """``2021-06-30T14:59:13Z`` for a time as Zotero's API or database writes it (UTC)."""
    text = value.strip() if isinstance(value, str) else ""
    if not text or (text[10:11] == "T" and text.endswith("Z")):
        return text or None
    if len(text) == 19 and text[10] == " ":
        return f"{text[:10]}T{text[11:]}Z"
    day, _, time = text.replace("T", " ").partition(" ")
    return f"{day}T{time.removesuffix('Z')}Z" if time else day


def _named(work: RawWork) -> str:
    title = title_of(work.csl)
    shown = shortened(title, 60)
    return f"item {work.raw['key']} ({shown})" if shown else f"item {work.raw['key']}"


def _paths(raw: Mapping[str, Any], collections: Mapping[str, LibraryCollection]) -> tuple[str, ...]:
    """``Thesis``, ``Thesis/Chapter 2``: the collections of an item, and those above each; by
    name."""
    paths: set[str] = set()
    for key in collections_in(raw):
        above = collections.get(key)
        while above is not None and above.path not in paths:
            paths.add(above.path)
            above = collections.get(above.parent) if above.parent else None
    return tuple(sorted(paths))


def _related(relations: Any) -> tuple[str, ...]:
    there = relations.get("dc:relation") if isinstance(relations, Mapping) else None
    addresses = there if isinstance(there, list) else [there]
    found = (_RELATED.search(address) for address in addresses if isinstance(address, str))
    return tuple(dict.fromkeys(match.group(1) for match in found if match))
