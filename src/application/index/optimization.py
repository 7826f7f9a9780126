"""The verb *optimize*: search graph of a large project's index."""

from citeloom.application.ports.catalogue import Catalogue
from citeloom.application.ports.index import Index
from citeloom.application.ports.ingest import Progress
from citeloom.domain.errors import IndexUnavailable, ShardBusy, StorageFailed
from citeloom.domain.messages import Action, NextStep, UserMessage
from citeloom.domain.projects import Project, ProjectId
from citeloom.domain.value import Value


class Optimized(Value):
    """``rebuilt`` is False if the index was up to date."""

    project: str
    rebuilt: bool


class Optimize:
    """Optimizes on request; ingest, relocation and migration optimize by themselves."""

    def __init__(self, *, catalogue: Catalogue, index: Index, wait_seconds: float = 30.0) -> None:
        self._catalogue = catalogue
        self._index = index
        self._wait = wait_seconds

    def __call__(self, project_id: ProjectId, progress: Progress) -> Optimized:
        """Raises ProjectNotFound, ShardBusy, IndexUnavailable, StorageFailed."""
        project = self._catalogue.project(project_id)
        rebuilt = optimize(self._index, project, self._wait, progress)
        return Optimized(project=project.id.value, rebuilt=rebuilt)


def optimize(index: Index, project: Project, wait_seconds: float, progress: Progress) -> bool:
    """Optimize the project's collection if that is due; returns whether it was."""
    return index.optimize(
        project.collection,
        dimension=project.embedding_model.dimension,
        wait_seconds=wait_seconds,
        on_start=lambda: progress.notice(
            f"{project.id} has grown: its index is built anew; queries go on meanwhile"
        ),
    )


def optimize_as_well(
    index: Index, project: Project, wait_seconds: float, progress: Progress
) -> None:
    """Optimize after another operation, whose result does not depend on it: errors become
    notices."""
    try:
        optimize(index, project, wait_seconds, progress)
    except (IndexUnavailable, ShardBusy, StorageFailed) as error:
        step = NextStep(Action.OPTIMIZE, project=project.id.value)
        progress.notice(
            UserMessage(f"{error.message}; queries are slower until it is optimized", step)
        )
