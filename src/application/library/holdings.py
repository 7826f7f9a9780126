"""Who holds what: the documents that a library should have in a project, and their items."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

from citeloom.application.ports.catalogue import SourceStamp
from citeloom.domain.library.holding import DocumentRole
from citeloom.domain.library.snapshot import LibraryItem

# Readers want the paper before its web page, and either before what supplements it.
_KINDS = {".pdf": 0, ".epub": 1, ".html": 3, ".htm": 3, ".xhtml": 3}
_OTHER = 2
_SUPPLEMENT = re.compile(
    r"suppl|supporting|\bSI\b|appendi|erratum|corrigendum|\bslides\b|\bdataset\b", re.IGNORECASE
)


@dataclass
class Holding:
    """A document, by whom it is held: entries of attachments, notes or items, the paths or
    addresses where they have it, and the items that they belong to, in the library's order.
    ``names`` are titles and file names of its attachments."""

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
    """Documents by id, in the library's order."""

    def __init__(self) -> None:
        self._by_id: dict[str, Holding] = {}
        self._of_entry: dict[str, str] = {}

    def __iter__(self) -> Iterator[Holding]:
        return iter(self._by_id.values())

    def __contains__(self, document_id: object) -> bool:
        return document_id in self._by_id

    @property
    def places(self) -> int:
        """How many paths and addresses there are in all."""
        return sum(len(holding.stamps) for holding in self)

    def get(self, document_id: str) -> Holding | None:
        return self._by_id.get(document_id)

    def with_those_of(self, other: "Holdings") -> "Holdings":
        """These and others; no document is in both."""
        both = Holdings()
        both._by_id = {**self._by_id, **other._by_id}
        both._of_entry = {**self._of_entry, **other._of_entry}
        return both

    def of_entry(self, entry: str) -> str | None:
        """The document that an entry became."""
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


def settle_roles(cited: Mapping[str, LibraryItem], holdings: Holdings) -> None:
    """Of the files that are cited as one item, one is the main document, the others
    supplement it. ``cited`` are items by document id; notes stay notes."""
    files: dict[str, list[Holding]] = defaultdict(list)
    for holding in holdings:
        item = cited.get(holding.document_id)
        if item is not None and holding.role is not DocumentRole.NOTE:
            files[item.address].append(holding)
    for address, held in files.items():
        main = min(held, key=lambda one: _order(one, address))
        for holding in held:
            holding.role = DocumentRole.MAIN if holding is main else DocumentRole.SUPPLEMENT


def _order(holding: Holding, address: str) -> tuple[bool, bool, int]:
    own = any(item.address == address for item in holding.items)
    supplement = all(_SUPPLEMENT.search(name) for name in holding.names if name)
    return not own, bool(any(holding.names)) and supplement, _kind(holding.stamps)


def _kind(stamps: Sequence[SourceStamp]) -> int:
    return min(_KINDS.get(PurePath(one.path).suffix.lower(), _OTHER) for one in stamps)
