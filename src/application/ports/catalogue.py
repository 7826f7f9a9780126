"""Port of the catalogue: projects and their documents, the record from which, with the
bundles, an index can be rebuilt."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Protocol, Self

from pydantic import field_validator

from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.documents.fidelity import DocumentFidelity
from citeloom.domain.library import WORK_TYPE, LibraryRecord
from citeloom.domain.messages import MessageText
from citeloom.domain.naming import Name
from citeloom.domain.projects.project import ModelIndex, Project, ProjectId
from citeloom.domain.value import Value

#: The ``references_digest`` of a document whose citation is being changed.
UNSETTLED = "unsettled"


# The embedding fingerprint of a document whose passages are not all durable yet.
UNFINISHED = ""


class SourceStamp(Value):
    """Path, size in bytes and modification time (nanoseconds) of a file when it was last read.
    A file with an equal stamp counts as unchanged and is not opened."""

    path: str
    size: int
    mtime_ns: int

    @classmethod
    def absent(cls, path: str) -> Self:
        """The stamp of a file that is not on this machine (``size`` -1)."""
        return cls(path=path, size=-1, mtime_ns=0)

    @property
    def is_absent(self) -> bool:
        return self.size < 0


class StoredDocument(Value):
    """A document of a project.

    ``conversion``, ``chunking`` and ``embedding`` are the fingerprints of the stages that made
    the stored result; a stage whose fingerprint differs must run again. A new document is entered
    as ``UNFINISHED`` before its passages are written, and one that is removed before they are
    deleted: a run that is killed leaves nothing in the index that the next one does not know of,
    and no document without passages that the next one takes for whole. ``identifiers`` are the
    DOIs and arXiv ids of the conversion, so that references can be matched without loading it;
    ``title``, ``authors`` and ``year`` are what the file itself says.
    ``references_digest`` is the digest of the reference file that was last searched for the
    citation; it is ``UNSETTLED`` while index and catalogue may hold different citations.
    ``held`` is set for documents of a followed library: their citation is that of the library's
    item, not that of a reference file. ``fidelity`` is None if no page was compared with an
    independent reading: nothing is known of its pages then. ``item`` is its citation without a
    person's own changes, where there are any."""

    project_id: ProjectId
    document_id: str
    title: str | None = None
    authors: tuple[str, ...] = ()
    year: int | None = None
    mime_type: str
    pages: int
    chunks: int
    language: str | None = None
    identifiers: tuple[str, ...] = ()
    sources: tuple[SourceStamp, ...]
    conversion: str
    chunking: str
    embedding: str
    citation: CitationMeta | None = None
    citation_how: str | None = None
    references_digest: str | None = None
    warnings: tuple[MessageText, ...] = ()
    stored_at: datetime
    held: LibraryRecord | None = None
    fidelity: DocumentFidelity | None = None
    item: CitationMeta | None = None

    @field_validator("sources")
    @classmethod
    def _distinct(cls, sources: tuple[SourceStamp, ...]) -> tuple[SourceStamp, ...]:
        if len({source.path for source in sources}) < len(sources):
            raise ValueError("a document has each of its sources once")
        return sources

    @property
    def has_file(self) -> bool:
        """False for a work that was added without text."""
        return self.mime_type != WORK_TYPE

    @property
    def is_cited(self) -> bool:
        """Whether its citation is that of an item, not a provisional one."""
        return self.citation is not None and not self.citation.is_provisional

    @property
    def without_own(self) -> Self:
        """The document's citation without a person's own changes."""
        return self.model_copy(update={"citation": self.item, "item": None}) if self.item else self

    @property
    def path(self) -> str | None:
        """The first source; None for a document without a source."""
        return self.sources[0].path if self.sources else None


class IndexedDocument(Value):
    """A document as a collection of another model, not in use, holds it: complete and durable.
    The fingerprints are as in ``StoredDocument``; ``cited`` is a digest of the citation and the
    path in its passages."""

    document_id: str
    chunks: int
    conversion: str
    chunking: str
    embedding: str
    cited: str


class ProjectState(Value):
    """A consistent snapshot of a project with all its documents."""

    project: Project
    documents: tuple[StoredDocument, ...]


class CatalogueAmounts(Value):
    """How much a catalogue holds, or one project; ``file_bytes`` is the size of its files, each
    document's counted once."""

    projects: int = 0
    documents: int = 0
    passages: int = 0
    file_bytes: int = 0


class Catalogue(Protocol):
    """Projects and documents. Each method is one transaction, durable when it returns.

    Any method may raise StorageFailed (full, read-only, damaged, locked for too long) and
    WorkspaceTooNew. Reading creates nothing: an empty workspace has no projects.
    """

    def add_project(self, project: Project) -> None:
        """Raises ProjectExists, also for an id that differs only in case."""

    def update_project(self, project: Project) -> None:
        """Change the settings of a project; its stored ``others`` are kept. Raises
        ProjectNotFound, and ProjectChanged if another collection is in use by now."""

    def project(self, project_id: ProjectId) -> Project:
        """Raises ProjectNotFound, which names the existing projects."""

    def projects(self) -> Sequence[Project]:
        """All projects, ordered by id."""

    def holder(self, collection: str) -> Project | None:
        """The project that owns this collection, with the collection's model; None for an
        unknown collection."""

    def delete_project(self, project_id: ProjectId) -> None:
        """Delete a project with its documents. Raises ProjectNotFound."""

    def put_document(self, document: StoredDocument, collection: str | None = None) -> None:
        """Insert or replace a document. Its sources are taken from the other documents of the
        project, which may be left without any. Raises ProjectNotFound, and ProjectChanged if
        ``collection`` was given and is not the one in use."""

    def documents(self, project_id: ProjectId) -> Sequence[StoredDocument]:
        """Ordered by document id; empty for an unknown project."""

    def version(self, project_id: ProjectId) -> str:
        """Another text once a document of the project was added, rewritten, cited otherwise or
        removed, by this process or another; cheaper than ``documents``."""

    def document(self, project_id: ProjectId, document_id: str) -> StoredDocument | None:
        """None for an unknown project or document."""

    def languages(self, project_id: ProjectId) -> Sequence[str]:
        """The distinct known languages of the project's documents, sorted."""

    def passages(self, project_id: ProjectId) -> int:
        """Number of passages that the project's documents have in the collection in use; 0 for
        an unknown project."""

    def amounts(self, project_id: ProjectId | None = None) -> CatalogueAmounts:
        """Amounts of a project, or of all; nothing for an unknown project."""

    def find_documents(
        self, project_id: ProjectId, names: Iterable[Name]
    ) -> Sequence[StoredDocument]:
        """The documents that have any of these names (``names_of``), ordered by document id;
        none for an unknown project."""

    def documents_beginning(self, project_id: ProjectId, prefix: str) -> Sequence[StoredDocument]:
        """The documents whose ids begin with these lower-case hex digits, ordered by id."""

    def unfinish_documents(self, project_id: ProjectId, document_ids: Iterable[str]) -> None:
        """Note that passages of documents may be missing: in the collection in use (they are
        ``UNFINISHED``, with no chunks) and in others, whose records are forgotten. Unknown ids are
        ignored."""

    def remove_documents(self, project_id: ProjectId, document_ids: Iterable[str]) -> None:
        """Remove documents, also from the records of other collections; unknown ids are
        ignored."""

    def put_other(self, project_id: ProjectId, index: ModelIndex) -> None:
        """Add an index to the project's ``others``, or replace the one with the same
        collection. Raises ProjectNotFound."""

    def remove_other(self, project_id: ProjectId, collection: str) -> None:
        """Remove an index from the project's ``others`` with its ``IndexedDocument`` records;
        an unknown collection is ignored. Raises ProjectNotFound."""

    def indexed(self, project_id: ProjectId, collection: str) -> Mapping[str, IndexedDocument]:
        """The records of a collection that is not in use, by document id."""

    def put_indexed(
        self, project_id: ProjectId, collection: str, document: IndexedDocument
    ) -> None:
        """Insert or replace. Raises ProjectNotFound."""

    def forget_indexed(self, project_id: ProjectId, collection: str, document_id: str) -> None:
        """Delete the record of a document before its passages are rewritten; an unknown
        document is ignored."""

    def state(self, project_id: ProjectId) -> ProjectState:
        """Project and documents, read in one transaction. Raises ProjectNotFound."""

    def switch(
        self, before: ProjectState, after: ProjectState, left: Iterable[IndexedDocument]
    ) -> bool:
        """Atomically put another collection in use. ``left`` are the records of the collection
        that is no longer in use. Of the documents only ``chunks``, ``chunking`` and
        ``embedding`` are written.

        Returns False, and changes nothing, if the project or a document differs from
        ``before``. Raises ProjectNotFound.
        """

    def used_elsewhere(self, project_id: ProjectId, document_id: str) -> bool:
        """Whether another project has the document too."""

    def verify(self, *, deep: bool = False) -> None:
        """Raise StorageFailed if the database finds itself damaged; ``deep`` checks the indexes
        too. A server looks after itself."""
