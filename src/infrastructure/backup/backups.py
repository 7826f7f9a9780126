"""Backups of the workspace, and their restoration."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

from citeloom.domain.errors import InvalidRequest
from citeloom.domain.projects.project import Project
from citeloom.domain.value import Value
from citeloom.infrastructure.backup.restoration import Restored, restore
from citeloom.infrastructure.backup.workspace_backup import (
    BackedUp,
    back_up,
    collections,
    default_path,
)
from citeloom.infrastructure.search.edge.index import EdgeIndex
from citeloom.infrastructure.storage.database.snapshot_files import snapshots
from citeloom.infrastructure.system.workspace import Workspace


class KnownBackup(Value):
    """A backup in the workspace; ``reason`` is why it was made."""

    path: Path
    reason: str
    size: int


class WorkspaceBackups:
    """The verbs *backup* and *restore* of one workspace."""

    def __init__(
        self,
        workspace: Workspace,
        index: EdgeIndex,
        *,
        wait_seconds: float,
        catalogue_is_here: bool,
        projects: Callable[[], Sequence[Project]],
        shared_files: str = "",
    ) -> None:
        self._workspace = workspace
        self._index = index
        self._wait = wait_seconds
        self._catalogue_is_here = catalogue_is_here
        self._projects = projects
        self._shared_files = shared_files

    def save(self, path: Path | None, *, replace: bool = False) -> BackedUp:
        """Back up the workspace into a new file: ``path``, or one in this folder, or without it
        one among the workspace's backups. Raises InvalidRequest for a file that is there already,
        StorageFailed, ShardBusy."""
        default = default_path(self._workspace)
        target = default if path is None else path / default.name if path.is_dir() else path
        if target.exists() and not replace:
            raise InvalidRequest(f"{target}: exists; --force replaces it", parameter="path")

        def damaged(collection: str) -> Sequence[str]:
            return self._index.damaged_files(collection, wait_seconds=self._wait)

        done = back_up(
            self._workspace,
            target,
            held=self._held,
            damaged=damaged,
            catalogue_is_here=self._catalogue_is_here,
            shared_files=self._shared_files,
        )
        elsewhere = tuple(_on_servers(self._projects()))
        return done.model_copy(update={"notes": (*done.notes, *elsewhere)})

    def restore(self, path: Path) -> Restored:
        """Put a backup in place, when no process uses the index. Raises InvalidSource,
        StorageFailed, ShardBusy, WorkspaceTooNew."""
        with ExitStack() as stack:
            for collection in collections(self._workspace):
                stack.enter_context(self._held(collection))
            return restore(self._workspace, path)

    def _held(self, collection: str) -> AbstractContextManager[Path]:
        return self._index.held(collection, wait_seconds=self._wait)

    def known(self) -> Sequence[KnownBackup]:
        """Backups among those of the workspace, the newest first of each kind."""
        workspace = self._workspace
        files = [(one.path, one.reason) for one in snapshots(workspace.catalogue)]
        whole = sorted(workspace.backups.glob("workspace-*.zip"), reverse=True)
        files += [(path, "workspace") for path in whole]
        return [
            KnownBackup(path=path, reason=reason, size=path.stat().st_size)
            for path, reason in files
        ]


def _on_servers(projects: Sequence[Project]) -> Iterator[str]:
    """What a backup says of each project whose index is on a server."""
    for project in projects:
        if place := project.retrieval.place:
            yield (
                f"{project.id}: its index is on {place.url} as {project.collection}: a snapshot of "
                "it there is for it; without one it is built anew from the stored conversions"
            )
