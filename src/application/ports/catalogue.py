"""Port: what is known about projects and documents; the index can be rebuilt from it and
the bundles."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Protocol

from pydantic import field_validator

from citeloom.domain.citation import CitationMeta
from citeloom.domain.project import Project, ProjectId
from citeloom.domain.values import Value

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
    ``UNSETTLED`` as long as the index may have another citation than is written here."""

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

    @field_validator("sources")
    @classmethod
    def _distinct(cls, sources: tuple[SourceStamp, ...]) -> tuple[SourceStamp, ...]:
        if len({source.path for source in sources}) < len(sources):
            raise ValueError("a document has each of its sources once")
        return sources


class Catalogue(Protocol):
    """Projects and documents. Each method is one transaction, durable when it returns.

    Any method may raise StorageFailed (full, read-only, damaged, locked for too long) and
    WorkspaceTooNew. Reading creates nothing: where nothing was written, there are no
    projects.
    """

    def add_project(self, project: Project) -> None:
        """Raises ProjectExists, also for an id that differs in case only."""

    def update_project(self, project: Project) -> None:
        """Raises ProjectNotFound."""

    def project(self, project_id: ProjectId) -> Project:
        """Raises ProjectNotFound, naming the projects there are."""

    def projects(self) -> Sequence[Project]:
        """By id."""

    def holder(self, collection: str) -> Project | None:
        """The project whose passages are in this collection."""

    def delete_project(self, project_id: ProjectId) -> None:
        """With its documents. Raises ProjectNotFound."""

    def put_document(self, document: StoredDocument) -> None:
        """Insert or replace a document; its sources no longer belong to any other of the
        project (which may be left without any). Raises ProjectNotFound."""

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
        """Unknown ids are no error."""

    def used_elsewhere(self, project_id: ProjectId, document_id: str) -> bool:
        """Whether another project holds the document too."""

    def close(self) -> None:
        """Give up connections; the next call opens them again."""
