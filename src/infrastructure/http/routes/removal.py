"""Removal of documents and projects."""

from collections.abc import Sequence

from fastapi import APIRouter
from pydantic import BaseModel

from citeloom.domain.projects.project import ProjectId
from citeloom.infrastructure.http.access import Access, Verbs
from citeloom.infrastructure.serving.next_steps import ProjectBusy

router = APIRouter(tags=["projects"])


class RemovedDocuments(BaseModel):
    """What is gone; the user's own files stay. ``whole``: the project as well."""

    project: str
    documents: Sequence[str]
    passages: int
    whole: bool


@router.delete("/projects/{namespace}/{name}")
async def remove_project(verbs: Verbs, namespace: str, name: str) -> RemovedDocuments:
    """Remove a project with all its documents."""
    return await _removed(verbs, ProjectId.parse(f"{namespace}/{name}"), ())


@router.delete("/projects/{namespace}/{name}/documents/{document}")
async def remove_document(
    verbs: Verbs, namespace: str, name: str, document: str
) -> RemovedDocuments:
    """Remove a document with its passages and stored text."""
    return await _removed(verbs, ProjectId.parse(f"{namespace}/{name}"), (document,))


async def _removed(
    verbs: Access, project_id: ProjectId, documents: Sequence[str]
) -> RemovedDocuments:
    """Raises ProjectBusy while a job works on the project."""

    def work() -> RemovedDocuments:
        remove = verbs.application.projects.remove
        removal = remove.plan(project_id, documents)
        for job in verbs.jobs.going_on(project_id.value):
            advice = f", or DELETE /api/v1/jobs/{job.id}"
            raise ProjectBusy(project_id.value, job.kind, job.id, advice)
        remove(removal, removal.name)
        return RemovedDocuments(
            project=project_id.value,
            documents=[one.document_id for one in removal.documents],
            passages=removal.passages,
            whole=removal.whole,
        )

    return await verbs.run("remove", work)
