"""The verb *duplicates*: copies of one work among the documents of a project, and their merging."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from citeloom.application.citation.edit import Edited, EditWork
from citeloom.application.documents.stores import DocumentStores
from citeloom.application.ports.catalogue import UNSETTLED, StoredDocument
from citeloom.domain.citation.metadata import csl_item
from citeloom.domain.citation.own import OwnMetadata, joined_own
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.errors import InvalidRequest, StorageFailed
from citeloom.domain.library import NOTE_TYPE, DocumentRole
from citeloom.domain.maps.address import short_id
from citeloom.domain.messages import MessageText
from citeloom.domain.progress import checkpoint
from citeloom.domain.projects.project import Project, ProjectId
from citeloom.domain.references.duplicates import (
    CopyGroup,
    CopyKind,
    TextSample,
    WorkCopy,
    find_copies,
    preprint_version,
    work_identifiers,
)
from citeloom.domain.value import Value

from .projects import Removal, RemoveDocuments

_FIRST_TEXT = 6000
"""Characters in which a stamp of arXiv stands."""
#: Of an item, what a copy does not take over: its own ones go by ``tags`` and ``note``.
_OF_ITEM = ("id", "keyword", "annote", "citation-key")


class ListedCopy(Value):
    """A document of a group, which ``name`` names it by: its key, or its short id where others
    have the same key. ``document_id`` is its whole id; ``pages`` and ``passages`` are counts."""

    document_id: str
    name: str
    citekey: str | None
    title: str | None
    source_path: str | None
    pages: int
    passages: int


class ListedGroup(Value):
    """Documents that belong together, of duplicates the best copy first, ``better`` being the
    reason; ``why`` says what they have in common."""

    kind: CopyKind
    why: str
    better: str
    documents: tuple[ListedCopy, ...]


class FoundDuplicates(Value):
    """``compared`` counts documents; ``warnings`` name those whose text could not be read, which
    are compared without it."""

    project: str
    compared: int
    groups: tuple[ListedGroup, ...]
    warnings: tuple[MessageText, ...] = ()


class Merging(Value):
    """What a merging will do: ``kept`` stays with ``own``, the others of ``removal`` go."""

    kept: StoredDocument
    own: OwnMetadata
    removal: Removal


class Merged(Value):
    """The changes to the remaining document, the ids of the removed ones, and the files moved to
    the trash."""

    kept: Edited
    removed: tuple[str, ...]
    passages: int
    trashed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Duplicates:
    """Finds copies, and merges them on request.

    A merging writes the person's own metadata and the former keys first and removes last: an
    interrupted one leaves both documents, and can be repeated."""

    stores: DocumentStores
    edit: EditWork
    remove: RemoveDocuments

    def __call__(self, project_id: ProjectId, names: Sequence[str] = ()) -> FoundDuplicates:
        """All groups of a project, or those of the documents named. Raises ProjectNotFound,
        DocumentNotFound."""
        project = self.stores.catalogue.project(project_id)
        wanted = {self.edit.documents.find(one, project.id).document_id for one in names}
        warnings: list[str] = []
        documents = {
            one.document_id: one
            for one in self.stores.catalogue.documents(project.id)
            if _is_compared(one)
        }
        groups = find_copies(self._copies(project, documents, warnings))
        shown = [one for one in groups if not wanted or wanted.intersection(one.documents)]
        return FoundDuplicates(
            project=project.id.value,
            compared=len(documents),
            groups=tuple(_listed(one, documents) for one in shown),
            warnings=tuple(warnings),
        )

    def plan(self, project_id: ProjectId, kept: str, others: Sequence[str]) -> Merging:
        """Raises ProjectNotFound, DocumentNotFound, and InvalidRequest for one document with
        itself and for a document of a Zotero library that would go."""
        project = self.stores.catalogue.project(project_id)
        stays = self.edit.documents.find(kept, project.id)
        if not others:
            raise InvalidRequest(f"{kept}: name the copy to merge into it", parameter="documents")
        removal = self.remove.plan(project.id, others)
        own = self._own(project.id, stays)
        for one in removal.documents:
            name = one.citation.citekey if one.citation else short_id(one.document_id)
            if one.document_id == stays.document_id:
                raise InvalidRequest(f"{name}: is the one that stays", parameter="documents")
            if one.held is not None:
                raise InvalidRequest(
                    f"{name}: belongs to a Zotero library, whose next sync brings it back: keep "
                    "it and merge the other one into it, or merge the items in Zotero",
                    parameter="documents",
                )
            own = joined_own(own, self._own(project.id, one))
            own = _with_citation(own, stays, one)
        return Merging(kept=stays, own=own, removal=removal)

    def merge(self, merging: Merging, trashed: Sequence[Path] = ()) -> Merged:
        """``trashed`` are files of the removal that go to the trash. Raises ShardBusy,
        IndexUnavailable, StorageFailed."""
        removal = merging.removal
        project = self.stores.catalogue.project(removal.project_id)
        citations = [one.citation for one in removal.documents if one.citation]
        keys = [key for one in citations for key in (one.citekey, *one.former_keys)]
        kept = _with_former(merging.kept, keys)
        own_key = merging.kept.citation.citekey if merging.kept.citation else ""
        others = dict.fromkeys(one.citekey for one in citations if one.citekey != own_key)
        merged = ", ".join(others) or "a copy"
        done = self.edit.replace(project, kept, merging.own, f"taken over from {merged}")
        self.remove(removal, removal.name, trashed)
        return Merged(
            kept=done,
            removed=tuple(one.document_id for one in removal.documents),
            passages=removal.passages,
            trashed=tuple(map(str, trashed)),
        )

    def _own(self, project_id: ProjectId, stored: StoredDocument) -> OwnMetadata:
        return self.stores.own.own(project_id, stored.document_id) or OwnMetadata()

    def _copies(
        self, project: Project, documents: Mapping[str, StoredDocument], warnings: list[str]
    ) -> Sequence[WorkCopy]:
        paths = [one.path for one in documents.values() if one.path]
        there = self.stores.files.stamps(paths)
        owned = self.stores.own.owned(project.id)
        copies = []
        for id, stored in documents.items():
            checkpoint()
            assert stored.citation is not None, "documents without a citation are not compared"
            try:
                converted = self.stores.bundles.load(id)
            except StorageFailed as error:
                warnings.append(error.message)
                converted = None
            own = owned.get(id, OwnMetadata())
            identifiers = tuple(work_identifiers(stored.citation, stored.identifiers))
            copies.append(
                WorkCopy(
                    document_id=id,
                    citation=stored.citation,
                    identifiers=identifiers,
                    sample=TextSample.of(converted.plain_text if converted else ""),
                    preprint_version=preprint_version(_first_text(converted), identifiers),
                    has_file=stored.path in there,
                    surety=stored.fidelity.least if stored.fidelity else 1.0,
                    is_noted=bool(own.tags or own.note or own.status),
                    stored_at=stored.stored_at,
                )
            )
        return copies


def _is_compared(stored: StoredDocument) -> bool:
    """Notes, supplements and uncited documents have no copies."""
    is_main = stored.held is None or stored.held.role is DocumentRole.MAIN
    return is_main and stored.citation is not None and stored.mime_type != NOTE_TYPE


def _first_text(converted: ConversionResult | None) -> str:
    if converted is None:
        return ""
    stamps = (one.text for one in converted.furniture if one.page == 1)
    return "\n".join([*stamps, converted.plain_text[:_FIRST_TEXT]])


def _with_citation(own: OwnMetadata, kept: StoredDocument, other: StoredDocument) -> OwnMetadata:
    """The citation of a copy takes the place of a provisional one."""
    theirs = other.citation
    if kept.citation is None or not kept.citation.is_provisional or own.found:
        return own
    if theirs is None or theirs.is_provisional:
        return own
    item = {name: value for name, value in csl_item(theirs).items() if name not in _OF_ITEM}
    return own.model_copy(update={"found": item})


def _with_former(kept: StoredDocument, names: Sequence[str]) -> StoredDocument:
    """The document with more former keys, to be cited again."""

    def joined(former: Sequence[str], key: str | None) -> tuple[str, ...]:
        return tuple(one for one in dict.fromkeys([*former, *names]) if one != key)

    changed: dict[str, object] = {"references_digest": UNSETTLED}
    for field in ("citation", "item"):
        if citation := getattr(kept, field):
            keys = joined(citation.former_keys, citation.citekey)
            changed[field] = citation.model_copy(update={"former_keys": keys})
    if kept.held is not None:
        keys = joined(kept.held.former_keys, kept.citation.citekey if kept.citation else None)
        changed["held"] = kept.held.model_copy(update={"former_keys": keys})
    return kept.model_copy(update=changed)


def _listed(group: CopyGroup, documents: Mapping[str, StoredDocument]) -> ListedGroup:
    keys = [one.citation.citekey for one in documents.values() if one.citation]

    def listed(id: str) -> ListedCopy:
        stored = documents[id]
        key = stored.citation.citekey if stored.citation else None
        return ListedCopy(
            document_id=id,
            name=key if key and keys.count(key) == 1 else short_id(id),
            citekey=key,
            title=stored.citation.title if stored.citation else stored.title,
            source_path=stored.path,
            pages=stored.pages,
            passages=stored.chunks,
        )

    return ListedGroup(
        kind=group.kind,
        why=group.why,
        better=group.better,
        documents=tuple(map(listed, group.documents)),
    )
