"""Citations of library documents: choice of the item, alternatives, former keys."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from citeloom.application.citation.assignment import AssignedCitation, CitationAssigner
from citeloom.application.ports.catalogue import UNSETTLED, StoredDocument
from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.library import (
    AlternativeCitation,
    DocumentRole,
    KeyChange,
    LibraryItem,
    LibraryRecord,
)
from citeloom.domain.references.work_versions import WorkVersions, is_preprint, preferred_item

from .entries import Holding, Holdings, assign_roles

HOW = "link"
_DIGEST = "library"
_ALONE = "it belongs to no item of the library; give it a parent item there"


@dataclass
class LibraryAssigner:
    """Assigns the citations of the documents of a library; other documents keep theirs.

    ``before`` is the former state of a document: its own, or that of its entry's document
    before the content changed. A citation of an item outside the scope (``elsewhere`` are the
    Zotero keys of such items) stays. If the snapshot is not ``whole``, alternatives are added
    but not removed. A file without an item is cited by ``without_item``.
    """

    works: WorkVersions
    elsewhere: frozenset[str]
    whole: bool
    without_item: CitationAssigner
    key_changes: dict[KeyChange, None] = field(default_factory=dict, init=False)
    _cited: dict[str, AssignedCitation] = field(default_factory=dict, init=False)

    def is_current(self, stored: StoredDocument) -> bool:
        assigned = self._cited.get(stored.document_id)
        if assigned is None:
            return True
        if assigned.citation is None and assigned.held is None:
            return stored.held is None and self.without_item.is_current(stored)
        return (
            stored.references_digest != UNSETTLED
            and stored.held == assigned.held
            and stored.citation == assigned.citation
            and stored.citation_how == assigned.how
        )

    def cite(
        self,
        document: ConversionResult,
        source_path: str,
        stored: StoredDocument | None = None,
        replaces: str | None = None,
    ) -> AssignedCitation:
        cited = self._cited[document.doc_id]  # the assignment is by content
        if cited.citation is not None or cited.held is not None:
            return cited
        before = stored if stored is not None and stored.held is None else None
        made = self.without_item.cite(document, source_path, before, replaces)
        return made.model_copy(update={"digest": cited.digest, "hint": cited.hint})

    @property
    def has_alternatives(self) -> bool:
        """Whether any document could be cited as another item."""
        return any(one.held and one.held.alternatives for one in self._cited.values())

    def decide(
        self,
        holdings: Holdings,
        before: Mapping[str, StoredDocument],
        notes_of_document: Mapping[str, Sequence[str]],
    ) -> None:
        """Assign the citations of all ``holdings``. ``before`` and ``notes_of_document``, their
        further notes, are by document id."""
        preferred = {
            holding.document_id: preferred_item(self._candidates(holding))
            for holding in holdings
            if holding.items
        }
        assign_roles(preferred, holdings)
        for holding in holdings:
            document_id = holding.document_id
            cited = self._cite(holding, preferred.get(document_id), before.get(document_id))
            notes = (*notes_of_document.get(document_id, ()), *cited.notes)
            self._cited[document_id] = cited.model_copy(update={"notes": notes})

    def _candidates(self, holding: Holding) -> list[LibraryItem]:
        candidates = {item.address: item for item in holding.items}
        for item in holding.items:
            candidates.update({other.address: other for other in self.works.same(item)})
        return list(candidates.values())

    def _cite(
        self, holding: Holding, item: LibraryItem | None, before: StoredDocument | None
    ) -> AssignedCitation:
        known = before.held if before else None
        if before and before.citation and known and before.citation.item_key in self.elsewhere:
            citation, source, item = before.citation, known.key_source, None
        elif item is not None:
            citation, source = self._united(item), item.key_source
        else:
            return _alone(holding, before)
        alternatives = self._alternatives(holding, item)
        if known is not None and (item is None or not self.whole):
            addresses = {one.address for one in alternatives} | ({item.address} if item else set())
            alternatives += [one for one in known.alternatives if one.address not in addresses]
        held = LibraryRecord(
            role=holding.role,
            key_source=source,
            alternatives=tuple(alternatives),
            former_keys=self._former(citation, alternatives, before),
        )
        notes = self._notes(holding, item) if item else ()
        return AssignedCitation(citation=citation, how=HOW, digest=_DIGEST, held=held, notes=notes)

    def _united(self, item: LibraryItem) -> CitationMeta:
        """The citation with the tags and collections of the item's duplicates too."""
        citations = [item.citation, *(other.citation for other in self.works.same(item))]
        tags = dict.fromkeys(tag for one in citations for tag in one.tags)
        collections = dict.fromkeys(path for one in citations for path in one.collections)
        united = {"tags": tuple(tags), "collections": tuple(collections)}
        return item.citation.model_copy(update=united)

    def _alternatives(
        self, holding: Holding, item: LibraryItem | None
    ) -> list[AlternativeCitation]:
        """Alternatives: other items with the file, of the same publication, and other versions
        of the work."""
        holders, works = holding.items, self.works
        groups: Sequence[tuple[str, Iterable[LibraryItem]]] = (
            ("the same publication", works.same(item) if item else ()),
            ("the same file", holders),
            ("the same publication", [one for i in holders for one in works.same(i)]),
            ("another version", [one for i in holders for one in works.versions(i)]),
        )
        alternatives: dict[str, AlternativeCitation] = {}
        for why, items in groups:
            for other in items:
                if item is None or other.address != item.address:
                    alternatives.setdefault(other.address, _alternative(other, why))
        return list(alternatives.values())

    def _former(
        self,
        citation: CitationMeta,
        alternatives: Sequence[AlternativeCitation],
        before: StoredDocument | None,
    ) -> tuple[str, ...]:
        """Former citation keys of the cited item and its alternatives."""
        if before is None or before.held is None:
            return ()
        current_keys = {one.item_key: one.citekey for one in alternatives}
        current_keys[citation.item_key or ""] = citation.citekey
        former_keys = {one.item_key: one.citekey for one in before.held.alternatives}
        if before.citation is not None and before.citation.item_key:
            former_keys[before.citation.item_key] = before.citation.citekey
        changes = [
            KeyChange(old=old, new=current_keys[item])
            for item, old in former_keys.items()
            if current_keys.get(item, old) != old
        ]
        self.key_changes.update(dict.fromkeys(changes))
        former = [*before.held.former_keys, *(change.old for change in changes)]
        return tuple(dict.fromkeys(key for key in former if key not in current_keys.values()))

    def _notes(self, holding: Holding, item: LibraryItem) -> tuple[str, ...]:
        """A note on a preprint that has a published version."""
        if holding.role is DocumentRole.NOTE or not is_preprint(item.citation):
            return ()
        published = [v for v in self.works.versions(item) if not is_preprint(v.citation)]
        return tuple(
            f"{item.citation.citekey} is a preprint, published as {one.citation.citekey}: "
            "its pages are other ones"
            for one in published[:1]
        )


def _alone(holding: Holding, before: StoredDocument | None) -> AssignedCitation:
    """The citation of a document without item: a file keeps that of a reference file, a note
    has none."""
    if holding.role is DocumentRole.NOTE:
        return AssignedCitation(hint=_ALONE, digest=_DIGEST, held=LibraryRecord(role=holding.role))
    if before is None or before.held is not None or before.citation is None:
        return AssignedCitation(hint=_ALONE, digest=_DIGEST)
    return AssignedCitation(
        citation=before.citation, how=before.citation_how, digest=before.references_digest
    )


def _alternative(item: LibraryItem, why: str) -> AlternativeCitation:
    return AlternativeCitation(
        citekey=item.citation.citekey, item_key=item.key, address=item.address, why=why
    )
