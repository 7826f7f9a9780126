"""How documents of a library are cited: by their items, no guessing."""

from collections.abc import Iterable, Mapping, Sequence

from citeloom.application.citation.assignment import Cited
from citeloom.application.library.holdings import Holding, Holdings, settle_roles
from citeloom.application.ports.catalogue import UNSETTLED, StoredDocument
from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.library.holding import AlternativeCitation, DocumentRole, LibraryRecord
from citeloom.domain.library.snapshot import LibraryItem
from citeloom.domain.library.sync import KeyChange
from citeloom.domain.references.work_versions import Works, chosen, is_preprint

HOW = "link"
_DIGEST = "library"
_ALONE = "it belongs to no item of the library; give it a parent item there"


class LibraryCiter:
    """The citation of each document that the library holds; those of others stay.

    ``before`` is a document as it was: the same one, or what its entry was before its content
    changed. Where an item that is not in the scope now is cited (``elsewhere`` are the Zotero
    keys of such), it stays. With ``whole`` False alternatives are added only.
    """

    def __init__(self, works: Works, *, elsewhere: frozenset[str], whole: bool) -> None:
        self._works = works
        self._elsewhere = elsewhere
        self._whole = whole
        self._cited: dict[str, Cited] = {}
        self.key_changes: dict[KeyChange, None] = {}

    @property
    def digest(self) -> str:
        return _DIGEST

    def stands(self, stored: StoredDocument) -> bool:
        wanted = self._cited.get(stored.document_id)
        if wanted is None:
            return True
        return (
            stored.references_digest != UNSETTLED
            and stored.held == wanted.held
            and stored.citation == wanted.citation
            and stored.citation_how == wanted.how
        )

    def cite(
        self, document: ConversionResult, source_path: str, stored: StoredDocument | None = None
    ) -> Cited:
        del source_path, stored  # the content says whose it is
        return self._cited[document.doc_id]

    @property
    def has_alternatives(self) -> bool:
        """Whether anything could be cited as another item."""
        return any(one.held and one.held.alternatives for one in self._cited.values())

    def decide(
        self,
        holdings: Holdings,
        before: Mapping[str, StoredDocument],
        said: Mapping[str, Sequence[str]],
    ) -> None:
        """Choose the citations of all ``holdings``. ``before`` is by document id, and so is
        ``said``, what else there is to say of them."""
        preferred = {
            holding.document_id: chosen(self._candidates(holding))
            for holding in holdings
            if holding.items
        }
        settle_roles(preferred, holdings)
        for holding in holdings:
            document_id = holding.document_id
            cited = self._cite(holding, preferred.get(document_id), before.get(document_id))
            notes = (*said.get(document_id, ()), *cited.notes)
            self._cited[document_id] = cited.model_copy(update={"notes": notes})

    def _candidates(self, holding: Holding) -> list[LibraryItem]:
        found = {item.address: item for item in holding.items}
        for item in holding.items:
            found.update({other.address: other for other in self._works.same(item)})
        return list(found.values())

    def _cite(
        self, holding: Holding, item: LibraryItem | None, before: StoredDocument | None
    ) -> Cited:
        known = before.held if before else None
        if before and before.citation and known and before.citation.item_key in self._elsewhere:
            citation, source, item = before.citation, known.key_source, None
        elif item is not None:
            citation, source = item.citation, item.key_source
        else:
            return _alone(holding, before)
        alternatives = self._alternatives(holding, item)
        if known is not None and (item is None or not self._whole):
            there = {one.address for one in alternatives} | ({item.address} if item else set())
            alternatives += [one for one in known.alternatives if one.address not in there]
        held = LibraryRecord(
            role=holding.role,
            key_source=source,
            alternatives=tuple(alternatives),
            former_keys=self._former(citation, alternatives, before),
        )
        notes = self._notes(holding, item) if item else ()
        return Cited(citation=citation, how=HOW, digest=_DIGEST, held=held, notes=notes)

    def _alternatives(
        self, holding: Holding, item: LibraryItem | None
    ) -> list[AlternativeCitation]:
        """The other items that hold the file, those of the same publication, and other
        versions of the work."""
        holders, works = holding.items, self._works
        groups: Sequence[tuple[str, Iterable[LibraryItem]]] = (
            ("the same publication", works.same(item) if item else ()),
            ("the same file", holders),
            ("the same publication", [one for i in holders for one in works.same(i)]),
            ("another version", [one for i in holders for one in works.versions(i)]),
        )
        found: dict[str, AlternativeCitation] = {}
        for why, items in groups:
            for other in items:
                if item is None or other.address != item.address:
                    found.setdefault(other.address, _alternative(other, why))
        return list(found.values())

    def _former(
        self,
        citation: CitationMeta,
        alternatives: Sequence[AlternativeCitation],
        before: StoredDocument | None,
    ) -> tuple[str, ...]:
        """Keys that the cited item or an alternative had before."""
        if before is None or before.held is None:
            return ()
        now = {one.item_key: one.citekey for one in alternatives}
        now[citation.item_key or ""] = citation.citekey
        had = {one.item_key: one.citekey for one in before.held.alternatives}
        if before.citation is not None and before.citation.item_key:
            had[before.citation.item_key] = before.citation.citekey
        changes = [
            KeyChange(old=old, new=now[item])
            for item, old in had.items()
            if now.get(item, old) != old
        ]
        self.key_changes.update(dict.fromkeys(changes))
        former = [*before.held.former_keys, *(change.old for change in changes)]
        return tuple(dict.fromkeys(key for key in former if key not in now.values()))

    def _notes(self, holding: Holding, item: LibraryItem) -> tuple[str, ...]:
        """What a reader should know who cites a preprint that was published."""
        if holding.role is DocumentRole.NOTE or not is_preprint(item.citation):
            return ()
        published = [v for v in self._works.versions(item) if not is_preprint(v.citation)]
        return tuple(
            f"{item.citation.citekey} is a preprint, published as {one.citation.citekey}: "
            "its pages are other ones"
            for one in published[:1]
        )


def _alone(holding: Holding, before: StoredDocument | None) -> Cited:
    """A file of no item may be cited by a reference file; a note of none is nobody's."""
    if holding.role is DocumentRole.NOTE:
        return Cited(hint=_ALONE, digest=_DIGEST, held=LibraryRecord(role=holding.role))
    if before is None or before.held is not None or before.citation is None:
        return Cited(hint=_ALONE, digest=_DIGEST)
    return Cited(citation=before.citation, how=before.citation_how, digest=before.references_digest)


def _alternative(item: LibraryItem, why: str) -> AlternativeCitation:
    return AlternativeCitation(
        citekey=item.citation.citekey, item_key=item.key, address=item.address, why=why
    )
