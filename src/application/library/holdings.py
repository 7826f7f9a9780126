"""Holdings: documents of a library, with the entries and items that hold them."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

from citeloom.application.ports.catalogue import SourceStamp
from citeloom.domain.library.holding import DocumentRole
from citeloom.domain.library.snapshot import LibraryItem

# Preference of the main file by suffix: the paper before its web page.
_KINDS = {".pdf": 0, ".epub": 1, ".html": 3, ".htm": 3, ".xhtml": 3}
_OTHER = 2
_SUPPLEMENT = re.compile(
    r"suppl|supporting|\bSI\b|appendi|erratum|corrigendum|\bslides\b|\bdataset\b", re.IGNORECASE
)


@dataclass
class Holding:
    """A document with the entries (attachments, notes, items) that hold it, their paths or
    addresses, and their items, in the library's order. ``names`` are titles and file names of
    its attachments."""

    document_id: str
    role: DocumentRole = DocumentRole.MAIN
    entries: list[str] = field(default_factory=list)
    stamps: list[SourceStamp] = field(default_factory=list)
    items: list[LibraryItem] = field(default_factory=list)
    names: list[str] = field(default_factory=list)

    def add(self, entry: str, stamp: SourceStamp, item: LibraryItem | None, name: str) -> None:
        self.entries.append(entry)
        if stamp.path not in [one.path for one in self.stamps]:
            self.stamps.append(stamp)
        if item is not None and item.address not in [one.address for one in self.items]:
            self.items.append(item)
        self.names.append(name)


class Holdings:
    """Holdings by document id, in the library's order."""

    def __init__(self) -> None:
        self._by_id: dict[str, Holding] = {}
        self._of_entry: dict[str, str] = {}

    def __iter__(self) -> Iterator[Holding]:
        return iter(self._by_id.values())

    def __contains__(self, document_id: object) -> bool:
        return document_id in self._by_id

    @property
    def places(self) -> int:
        """The number of paths and addresses of all documents."""
        return sum(len(holding.stamps) for holding in self)

    def get(self, document_id: str) -> Holding | None:
        return self._by_id.get(document_id)

    def with_those_of(self, other: "Holdings") -> "Holdings":
        """The union of two disjoint holdings."""
        both = Holdings()
        both._by_id = {**self._by_id, **other._by_id}
        both._of_entry = {**self._of_entry, **other._of_entry}
        return both

    def of_entry(self, entry: str) -> str | None:
        """The document id of an entry; None if it has no document."""
        return self._of_entry.get(entry)

    def add(
        self,
        document_id: str,
        entry: str,
        stamp: SourceStamp,
        item: LibraryItem | None,
        *,
        name: str = "",
        role: DocumentRole = DocumentRole.MAIN,
    ) -> None:
        holding = self._by_id.setdefault(document_id, Holding(document_id, role))
        holding.add(entry, stamp, item, name)
        self._of_entry[entry] = document_id


def assign_roles(cited: Mapping[str, LibraryItem], holdings: Holdings) -> None:
    """Set the roles of documents: of the files cited as one item one is the main document,
    the others are supplements. ``cited`` are items by document id; notes stay notes."""
    files: dict[str, list[Holding]] = defaultdict(list)
    for holding in holdings:
        item = cited.get(holding.document_id)
        if item is not None and holding.role is not DocumentRole.NOTE:
            files[item.address].append(holding)
    for address, documents in files.items():
        main = min(documents, key=lambda one: _order(one, address))
        for holding in documents:
            holding.role = DocumentRole.MAIN if holding is main else DocumentRole.SUPPLEMENT


def _order(holding: Holding, address: str) -> tuple[bool, bool, int]:
    is_own = any(item.address == address for item in holding.items)
    supplement = all(_SUPPLEMENT.search(name) for name in holding.names if name)
    return not is_own, bool(any(holding.names)) and supplement, _kind(holding.stamps)


def _kind(stamps: Sequence[SourceStamp]) -> int:
    return min(_KINDS.get(PurePath(one.path).suffix.lower(), _OTHER) for one in stamps)
