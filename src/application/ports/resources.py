"""Port of resources: labels of documents and their parts."""

from collections.abc import Sequence
from typing import Protocol

from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.resources.labels import ResourceLabel


class LabelStore(Protocol):
    """Labels of a project's resources; deleted with the project, and those of a document
    with the document. Each method is one transaction, durable when it returns. Any may raise
    StorageFailed and WorkspaceTooNew. Reading creates nothing."""

    def put(self, project_id: ProjectId, document_id: str | None, label: ResourceLabel) -> None:
        """Insert or replace. ``document_id`` is None for labels of collections. Raises
        ProjectNotFound."""

    def remove(self, project_id: ProjectId, target: str, name: str) -> bool:
        """Whether there was one."""

    def labels(
        self, project_id: ProjectId, document_id: str | None = None
    ) -> Sequence[ResourceLabel]:
        """Of a document, or of all the project; by target and name."""

    def close(self) -> None:
        """Give up connections; the next call opens them again."""
