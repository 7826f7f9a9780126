"""Opening the index of a project."""

from collections.abc import Iterator
from contextlib import contextmanager

from citeloom.application.ports.catalogue import Catalogue
from citeloom.application.ports.index import Collection, Index
from citeloom.domain.errors import IndexUnavailable
from citeloom.domain.messages import Action, NextStep, UserMessage
from citeloom.domain.projects import Project
from citeloom.domain.text.phrasing import counted


def require_index(index: Index, catalogue: Catalogue, project: Project) -> None:
    """Raise IndexUnavailable if the project's collection is gone, though it has passages by the
    catalogue."""
    if not index.exists(project.collection) and (expected := catalogue.passages(project.id)):
        raise index_gone(project, expected)


def missing_passages(
    collection: Collection, catalogue: Catalogue, project: Project
) -> UserMessage | None:
    """A warning if the collection has fewer passages than the catalogue says. Raises
    IndexUnavailable if it has none of them."""
    found, expected = collection.count(), catalogue.passages(project.id)
    if found >= expected:
        return None
    if not found:
        raise index_gone(project, expected)
    missing = f"{project.id}: only {found:,} of {expected:,} passages are in its index"
    return UserMessage(
        f"{missing}, unless documents are being added right now",
        NextStep(Action.REPAIR, project=project.id.value),
    )


def is_damage(error: IndexUnavailable) -> bool:
    """Whether a repair is what helps, and not another try or another server."""
    return error.next_step is not None and error.next_step.action is Action.REPAIR


def index_gone(project: Project, expected: int) -> IndexUnavailable:
    """The error for a collection without passages; ``expected`` are those of the catalogue."""
    return IndexUnavailable(
        f"{project.id}: its index is gone: it should hold {counted(expected, 'passage')}",
        NextStep(Action.REPAIR, project=project.id.value),
        project_id=project.id.value,
        collection=project.collection,
        expected=expected,
    )


@contextmanager
def open_collection(
    index: Index, project: Project, wait_seconds: float, *, writing: bool = False
) -> Iterator[Collection]:
    """The project's collection; with ``writing`` no other process writes to it meanwhile. Raises
    ShardBusy, IndexUnavailable."""
    try:
        with index.open(
            project.collection,
            dimension=project.embedding_model.dimension,
            wait_seconds=wait_seconds,
            writing=writing,
        ) as collection:
            yield collection
    except IndexUnavailable as error:
        if is_damage(error):
            repair = NextStep(Action.REPAIR, project=project.id.value)
            error.message = UserMessage(error.message, repair)
        raise
