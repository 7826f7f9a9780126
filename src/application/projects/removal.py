"""The verb *remove*: what of a project would go, and its removal once that is confirmed."""

import hashlib
from collections.abc import Sequence

from citeloom.application.documents.finder import DocumentFinder
from citeloom.application.index.removal import Remover
from citeloom.application.index.term_weights import TermWeights
from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.projects.projects import Projects
from citeloom.domain.errors import InvalidRequest
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.text.phrasing import counted
from citeloom.domain.value import Value

_DIGEST = 8  # hex digits


class Removal(Value):
    """What is removed: these documents of a project, with ``whole`` also the project."""

    project_id: ProjectId
    documents: tuple[StoredDocument, ...]
    whole: bool

    @property
    def passages(self) -> int:
        return sum(document.chunks for document in self.documents)

    @property
    def name(self) -> str:
        """Another one for other documents."""
        ids = " ".join(sorted(document.document_id for document in self.documents))
        digest = hashlib.sha256(f"{self.whole} {ids}".encode()).hexdigest()[:_DIGEST]
        number = counted(len(self.documents), "document")
        what = f"all of it, {number}" if self.whole else number
        return f"{self.project_id} ({what}, {digest})"


class RemoveDocuments:
    """Removes documents with their passages and stored texts; the user's own files stay."""

    def __init__(
        self,
        *,
        documents: DocumentFinder,
        projects: Projects,
        remover: Remover,
        term_weights: TermWeights,
    ) -> None:
        self._documents = documents
        self._projects = projects
        self._remover = remover
        self._term_weights = term_weights

    def plan(self, project_id: ProjectId, names: Sequence[str]) -> Removal:
        """What would go; all of the project without ``names``. Raises ProjectNotFound,
        DocumentNotFound, and what a name that is none raises."""
        catalogue = self._documents.catalogue
        project = catalogue.project(project_id)
        if not names:
            every = tuple(catalogue.documents(project.id))
            return Removal(project_id=project.id, documents=every, whole=True)
        found = [self._documents.find(name, project.id) for name in names]
        chosen = {document.document_id: document for document in found}
        return Removal(project_id=project.id, documents=tuple(chosen.values()), whole=False)

    def __call__(self, removal: Removal, confirmed: str) -> None:
        """``confirmed`` is the name of the removal. Raises InvalidRequest for another, ShardBusy,
        IndexUnavailable, StorageFailed."""
        if confirmed != removal.name:
            raise InvalidRequest(
                f"confirm: {confirmed!r} is not what would be removed now, which is "
                f"{removal.name!r}",
                parameter="confirm",
            )
        if removal.whole:
            self._projects.delete(removal.project_id)
            return
        project = self._documents.catalogue.project(removal.project_id)
        self._remover.documents(project, [one.document_id for one in removal.documents])
        self._term_weights.update_average(project)
