"""Port: what readers marked in documents, as it was read from their library."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from citeloom.domain.library import LibraryAnnotation
from citeloom.domain.project import ProjectId


class AnnotationStore(Protocol):
    """Annotations of a project's documents; deleted with the document and with the project.
    Each method is one transaction, durable when it returns. Any may raise StorageFailed and
    WorkspaceTooNew. Reading creates nothing."""

    def put(
        self, project_id: ProjectId, document_id: str, annotations: Sequence[LibraryAnnotation]
    ) -> None:
        """Replace all that the document had; its ``digest`` is empty then. Raises
        ProjectNotFound."""

    def settle(self, project_id: ProjectId, document_id: str, digest: str) -> None:
        """Note that the index shows what is stored, by a digest of it. One that has none
        stored is left as it is."""

    def annotations(self, project_id: ProjectId, document_id: str) -> Sequence[LibraryAnnotation]:
        """In the order that they were put."""

    def digest(self, project_id: ProjectId, document_id: str) -> str | None:
        """None where nothing was ever put; empty where the index does not show it yet."""

    def counts(self, project_id: ProjectId) -> Mapping[str, int]:
        """How many each document has, by its id; those without any are left out."""

    def close(self) -> None:
        """Give up connections; the next call opens them again."""
