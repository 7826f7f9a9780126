"""Port: what is known about projects and documents; the index can be rebuilt from it and
the bundles."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from pydantic import field_validator

from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.library.holding import LibraryRecord
from citeloom.domain.projects.project import ModelIndex, Project
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.value import Value

#: The ``references_digest`` of a document whose citation is being changed.
UNSETTLED = "unsettled"


class SourceStamp(Value):
    """What a file looked like when it was last read: enough to see that it is unchanged
    without opening it. ``mtime_ns`` is in nanoseconds."""

    path: str
    size: int
    mtime_ns: int


class StoredDocument(Value):
    """A document of a project. The fingerprints name the settings of each stage that made
    what is stored; a differing one means that the stage must run again. ``identifiers`` are
    those of the conversion (DOIs, arXiv ids): references can be matched anew without it.
    ``references_digest`` names the reference file that the citation was last sought in; it is
    ``UNSETTLED`` as long as the index may have another citation than is written here.
    ``held`` is set for documents that a followed library holds: their citation is that of
    its item, whatever reference files say."""

    project_id: ProjectId
    document_id: str
    title: str | None = None
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
    warnings: tuple[str, ...] = ()
    stored_at: datetime
    held: LibraryRecord | None = None

    @field_validator("sources")
    @classmethod
    def _distinct(cls, sources: tuple[SourceStamp, ...]) -> tuple[SourceStamp, ...]:
        if len({source.path for source in sources}) < len(sources):
            raise ValueError("a document has each of its sources once")
        return sources

    @property
    def path(self) -> str | None:
        """The first source; None for a document without a source."""
        return self.sources[0].path if self.sources else None


class IndexedDocument(Value):
    """What a collection beside the one in use holds of a document, durably and wholly. The
    fingerprints are as in ``StoredDocument``; ``cited`` names the citation and the path that
    its passages show."""

    document_id: str
    chunks: int
    conversion: str
    chunking: str
    embedding: str
    cited: str


class ProjectState(Value):
    """A project with all its documents, as they were at one moment."""

    project: Project
    documents: tuple[StoredDocument, ...]


class Catalogue(Protocol):
    """Projects and documents. Each method is one transaction, durable when it returns.

    Any method may raise StorageFailed (full, read-only, damaged, locked for too long) and
    WorkspaceTooNew. Reading creates nothing: where nothing was written, there are no
    projects.
    """

    def add_project(self, project: Project) -> None:
        """Raises ProjectExists, also for an id that differs in case only."""

    def update_project(self, project: Project) -> None:
        """Change the settings of a project; ``others`` stay as they are written. Raises
        ProjectNotFound, and ProjectChanged where another collection is in use by now."""

    def project(self, project_id: ProjectId) -> Project:
        """Raises ProjectNotFound, naming the projects there are."""

    def projects(self) -> Sequence[Project]:
        """By id."""

    def holder(self, collection: str) -> Project | None:
        """The project whose passages are in this collection, with the model that made them."""

    def delete_project(self, project_id: ProjectId) -> None:
        """With its documents. Raises ProjectNotFound."""

    def put_document(self, document: StoredDocument, collection: str | None = None) -> None:
        """Insert or replace a document; its sources no longer belong to any other of the
        project (which may be left without any). Raises ProjectNotFound, and ProjectChanged
        where ``collection`` was given and is not the one in use."""

    def documents(self, project_id: ProjectId) -> Sequence[StoredDocument]:
        """By document id; none for an unknown project."""

    def document(self, project_id: ProjectId, document_id: str) -> StoredDocument | None: ...

    def languages(self, project_id: ProjectId) -> Sequence[str]:
        """The languages of the project's documents, each once, in order; unknown ones are
        left out."""

    def find_documents(self, project_id: ProjectId, name: str) -> Sequence[StoredDocument]:
        """Documents that ``name`` may mean, by document id.

        The first of these that fits any: citation key or path; DOI, arXiv id, URL, Zotero
        item key or ``zotero://select/…``; citation key in another case or file name; id
        prefix (6 or more hex digits).
        """

    def remove_documents(self, project_id: ProjectId, document_ids: Iterable[str]) -> None:
        """From all collections; unknown ids are no error."""

    def put_other(self, project_id: ProjectId, index: ModelIndex) -> None:
        """Add to the project's ``others``, or change the one of the same collection. Raises
        ProjectNotFound."""

    def remove_other(self, project_id: ProjectId, collection: str) -> None:
        """Take from the project's ``others``, with what is noted of its documents; an unknown
        one is no error. Raises ProjectNotFound."""

    def indexed(self, project_id: ProjectId, collection: str) -> Mapping[str, IndexedDocument]:
        """What is noted of a collection beside the one in use, by document id."""

    def put_indexed(
        self, project_id: ProjectId, collection: str, document: IndexedDocument
    ) -> None:
        """Insert or replace. Raises ProjectNotFound."""

    def forget_indexed(self, project_id: ProjectId, collection: str, document_id: str) -> None:
        """Before its passages are written anew; an unknown one is no error."""

    def state(self, project_id: ProjectId) -> ProjectState:
        """Raises ProjectNotFound."""

    def switch(
        self, before: ProjectState, after: ProjectState, left: Iterable[IndexedDocument]
    ) -> bool:
        """Put another collection in use, with what it holds of each document, and note what
        the one before it holds (``left``); all of it or nothing. Of the documents only
        ``chunks``, ``chunking`` and ``embedding`` are written.

        Returns False, having changed nothing, where the project or a document is no longer
        as it was ``before``. Raises ProjectNotFound.
        """

    def used_elsewhere(self, project_id: ProjectId, document_id: str) -> bool:
        """Whether another project holds the document too."""

    def close(self) -> None:
        """Give up connections; the next call opens them again."""
