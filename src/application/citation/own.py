"""A person's own metadata of documents, applied to the citations that references give."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from citeloom.application.documents.stores import DocumentStores
from citeloom.application.index.passage_writer import PassageWriter
from citeloom.application.ports.catalogue import UNSETTLED, Catalogue, StoredDocument
from citeloom.application.ports.citation import OwnRecords, ReferenceReader
from citeloom.domain.citation.metadata import CitationMeta, CitationSource, csl_item
from citeloom.domain.citation.own import OwnChange, OwnMetadata
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.projects.project import Project, ProjectId
from citeloom.domain.references.provisional import NOTE

from .assignment import (
    AssignedCitation,
    CitationAssigner,
    CitationReassigner,
    ReferenceAssigner,
    with_former_keys,
)
from .references import read_references

ReadItem = Callable[[Mapping[str, Any], str], CitationMeta]
"""A CSL-JSON item as metadata under a citation key."""


def with_own(citation: CitationMeta, own: OwnMetadata, read: ReadItem) -> CitationMeta:
    """``citation`` with a person's own metadata: a look-up replaces a provisional citation, edits
    replace fields of either, tags and a note (CSL's ``annote``) are added."""
    changed = citation
    if own.found and citation.is_provisional:
        changed = _read(dict(own.found), citation, read, CitationSource.LOOKUP)
    if own.edits or own.citekey:
        item = csl_item(changed)
        if changed.is_provisional and item.get("note") == NOTE:
            del item["note"]
        item |= own.edits
        item = {name: value for name, value in item.items() if value is not None}
        uncertain = tuple(name for name in changed.uncertain if name not in _names(own.edits))
        changed = _read(item, changed, read, CitationSource.EDITED, own.citekey, uncertain)
    return _with_tags_and_note(changed, own)


def _with_tags_and_note(citation: CitationMeta, own: OwnMetadata) -> CitationMeta:
    tags = tuple(dict.fromkeys([*citation.tags, *own.tags]))
    item = csl_item(citation)
    if own.note:
        item["annote"] = "\n".join(filter(None, (str(item.get("annote") or ""), own.note)))
    if tags != citation.tags and item.get("keyword"):
        item["keyword"] = "; ".join(tags) + (";" if len(tags) == 1 else "")
    if tags == citation.tags and not own.note:
        return citation
    return citation.model_copy(update={"tags": tags, "csl": item})


def _names(edits: Mapping[str, Any]) -> frozenset[str]:
    """Fields of ``CitationMeta.uncertain`` that edits settle."""
    return frozenset(_SETTLED.get(name, name) for name in edits)


_SETTLED = {
    "issued": "year", "author": "authors", "container-title": "container_title", "page": "pages",
}  # fmt: skip


def _read(
    item: Mapping[str, Any],
    before: CitationMeta,
    read: ReadItem,
    source: CitationSource,
    citekey: str | None = None,
    uncertain: tuple[str, ...] = (),
) -> CitationMeta:
    kept = {
        "source": source,
        "uncertain": uncertain,
        "former_keys": before.former_keys,
        "collections": before.collections,
        "tags": before.tags,
        "item_key": before.item_key,
    }
    return read(item, citekey or before.citekey).model_copy(update=kept)


def over(
    cited: AssignedCitation,
    own: OwnMetadata | None,
    read: ReadItem,
    before: CitationMeta | None = None,
) -> AssignedCitation:
    """A citation with a person's own metadata over it; ``before`` is that of the document so
    far."""
    if cited.citation is None or own is None or not own.changes_citation:
        return cited
    changed = with_former_keys(with_own(cited.citation, own, read), cited.citation)
    changed = with_former_keys(changed, before)
    return cited.model_copy(update={"citation": changed, "item": cited.citation})


@dataclass(frozen=True, slots=True)
class OwnAssigner:
    """Citations of another assigner with the project's own metadata over them. Those of a document
    are carried over to the one that takes its place."""

    inner: CitationAssigner
    project_id: ProjectId
    records: OwnRecords
    read: ReadItem

    def is_current(self, stored: StoredDocument) -> bool:
        settled = stored.references_digest != UNSETTLED
        return settled and self.inner.is_current(stored.without_own)

    def cite(
        self,
        document: ConversionResult,
        source_path: str,
        stored: StoredDocument | None = None,
        replaces: str | None = None,
    ) -> AssignedCitation:
        bare = stored.without_own if stored else None
        cited = self.inner.cite(document, source_path, bare, replaces)
        before = stored.citation if stored else None
        return over(cited, self._own(document.doc_id, replaces), self.read, before)

    def _own(self, document_id: str, replaces: str | None) -> OwnMetadata | None:
        own = self.records.own(self.project_id, document_id)
        if own is None and replaces is not None:
            own = self.records.own(self.project_id, replaces)
            if own is not None:
                change = OwnChange(document_id=document_id, what="a new version", after=own)
                self.records.put(self.project_id, change)
        return own


def project_assigner(
    project: Project, catalogue: Catalogue, references: ReferenceReader
) -> tuple[ReferenceAssigner, list[str]]:
    """The assigner of an ingest, and why reference files could not be read."""
    read = read_references(references, project.reference_files)
    assigner = ReferenceAssigner(read.library, catalogue, project.id, is_whole=read.is_whole)
    return assigner, list(read.unread)


def own_reassigner(
    project: Project,
    stores: DocumentStores,
    writer: PassageWriter,
    references: ReferenceReader,
    assigner: CitationAssigner,
    warn: Callable[[str], None],
) -> CitationReassigner:
    """Cites documents again after a change of the person's own data."""
    return CitationReassigner(
        catalogue=stores.catalogue,
        writer=writer,
        assigner=OwnAssigner(assigner, project.id, stores.own, references.item),
        bundles=stores.bundles,
        warn=warn,
    )
