"""Quota of a project: which new files go beyond it, before they are read."""

from typing import Final

from citeloom.application.ingest.plan import IngestTask, Need
from citeloom.application.ports.catalogue import CatalogueAmounts
from citeloom.domain.projects.quota import QuotaExceeded
from citeloom.domain.value import Value

_MEGABYTE: Final = 1_000_000


class ProjectQuota(Value):
    """Documents, passages and megabytes of files that a project may hold; 0: any number."""

    documents: int = 0
    passages: int = 0
    megabytes: int = 0


UNLIMITED: Final = ProjectQuota()


class QuotaCheck:
    """Counts the new documents of one run beside what the project holds already. Passages are known
    only after the work: a project that has as many as it may, or more, takes no new document."""

    def __init__(self, quota: ProjectQuota, project: str, held: CatalogueAmounts) -> None:
        self._quota = quota
        self._project = project
        self._passages = held.passages
        self._documents = held.documents
        self._bytes = held.file_bytes
        self._counted: set[str | None] = set()

    def refusal(self, task: IngestTask) -> QuotaExceeded | None:
        """Of a document that the project has not, in whatever version."""
        is_new = task.need is Need.WORK and task.stored is None and task.replaces is None
        if not is_new or task.document_id in self._counted:
            return None
        size = task.stamp.size if task.stamp else 0
        quota = self._quota
        if quota.documents and self._documents >= quota.documents:
            return self._exceeded(task, "documents", quota.documents)
        if quota.passages and self._passages >= quota.passages:
            return self._exceeded(task, "passages", quota.passages)
        if quota.megabytes and self._bytes + size > quota.megabytes * _MEGABYTE:
            return self._exceeded(task, "megabytes", quota.megabytes)
        self._documents += 1
        self._bytes += size
        self._counted.add(task.document_id)
        return None

    def _exceeded(self, task: IngestTask, name: str, most: int) -> QuotaExceeded:
        return QuotaExceeded(task.path.name, self._project, f"quota.project_{name}", most)
