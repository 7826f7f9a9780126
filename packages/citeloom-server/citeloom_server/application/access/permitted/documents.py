"""What is stored of documents as a principal sees it: labels, annotations, followed libraries."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Generic, TypeVar

from citeloom.application.ports.library import (
    AnnotationStore,
    FollowedLibraries,
    Following,
    LibraryEntry,
)
from citeloom.application.ports.resources import LabelStore
from citeloom.domain.errors import ProjectNotFound
from citeloom.domain.library.snapshot import LibraryAnnotation
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.resources.metadata import ResourceLabel
from citeloom_server.application.access.current_rights import CurrentRights
from citeloom_server.domain.access.rights import only_owners

S = TypeVar("S")


class _OfProjects(Generic[S]):
    """A store of things of projects: nothing is there of one that may not be read."""

    def __init__(self, store: S, rights: CurrentRights) -> None:
        self._store = store
        self._rights = rights

    def close(self) -> None:
        """Others use it too."""

    def _sees(self, project_id: ProjectId) -> bool:
        return self._rights.may_read(project_id)

    def _changing(self, project_id: ProjectId) -> None:
        """Raises ProjectNotFound, NotPermitted."""
        rights = self._rights()
        if not rights.may_read(project_id):
            raise ProjectNotFound(project_id.value)
        if not rights.may_change(project_id):
            raise only_owners(rights, project_id)


class PermittedLabels(_OfProjects[LabelStore]):
    def put(self, project_id: ProjectId, document_id: str | None, label: ResourceLabel) -> None:
        self._changing(project_id)
        self._store.put(project_id, document_id, label)

    def remove(self, project_id: ProjectId, target: str, name: str) -> bool:
        self._changing(project_id)
        return self._store.remove(project_id, target, name)

    def labels(
        self, project_id: ProjectId, document_id: str | None = None
    ) -> Sequence[ResourceLabel]:
        return self._store.labels(project_id, document_id) if self._sees(project_id) else []


class PermittedAnnotations(_OfProjects[AnnotationStore]):
    def put(
        self, project_id: ProjectId, document_id: str, annotations: Sequence[LibraryAnnotation]
    ) -> None:
        self._changing(project_id)
        self._store.put(project_id, document_id, annotations)

    def record_digest(self, project_id: ProjectId, document_id: str, digest: str) -> None:
        self._changing(project_id)
        self._store.record_digest(project_id, document_id, digest)

    def annotations(self, project_id: ProjectId, document_id: str) -> Sequence[LibraryAnnotation]:
        return self._store.annotations(project_id, document_id) if self._sees(project_id) else []

    def digests(self, project_id: ProjectId) -> Mapping[str, str]:
        return self._store.digests(project_id) if self._sees(project_id) else {}

    def counts(self, project_id: ProjectId) -> Mapping[str, int]:
        return self._store.counts(project_id) if self._sees(project_id) else {}


class PermittedFollowedLibraries(_OfProjects[FollowedLibraries]):
    def following(self, project_id: ProjectId) -> Following | None:
        return self._store.following(project_id) if self._sees(project_id) else None

    def follow(self, project_id: ProjectId, following: Following) -> None:
        self._changing(project_id)
        self._store.follow(project_id, following)

    def entries(self, project_id: ProjectId) -> Mapping[str, LibraryEntry]:
        return self._store.entries(project_id) if self._sees(project_id) else {}

    def put_entries(self, project_id: ProjectId, entries: Iterable[LibraryEntry]) -> None:
        self._changing(project_id)
        self._store.put_entries(project_id, entries)

    def remove_entries(self, project_id: ProjectId, keys: Iterable[str]) -> None:
        self._changing(project_id)
        self._store.remove_entries(project_id, keys)
