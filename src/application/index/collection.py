"""Opening the index of a project."""

from contextlib import AbstractContextManager

from citeloom.application.ports.index import Collection, Index
from citeloom.domain.projects.project import Project


def open_collection(
    index: Index, project: Project, wait_seconds: float
) -> AbstractContextManager[Collection]:
    """The project's collection. Raises ShardBusy, IndexUnavailable."""
    return index.open(
        project.collection,
        dimension=project.embedding_model.dimension,
        wait_seconds=wait_seconds,
    )
