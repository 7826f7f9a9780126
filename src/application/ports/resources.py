"""Port of resources: labels of documents and their parts."""

from collections.abc import Sequence
from typing import Protocol

from citeloom.domain.projects import ProjectId
from citeloom.domain.resources.metadata import ResourceLabel


class LabelStore(Protocol):
    """Labels of a project's resources; deleted with the project, and those of a document
    with the document. Each method is one transaction, durable when it returns. Any may raise
    StorageFailed and WorkspaceTooNew. Reading creates nothing."""

    def put(self, project_id: ProjectId, document_id: str | None, label: ResourceLabel) -> None:
        """Insert or replace a label; ``document_id`` is None for labels of collections. Raises
        ProjectNotFound."""

    def remove(self, project_id: ProjectId, target: str, name: str) -> bool:
        """Returns whether there was one."""

    def labels(
        self, project_id: ProjectId, document_id: str | None = None
    ) -> Sequence[ResourceLabel]:
        """The labels of a document, or of the whole project, ordered by target and name."""

    def close(self) -> None:
        """Close connections; the next call reopens them."""
