"""The rights of a principal as they are now, and the jobs that it sees by them."""

from threading import Lock
from typing import Final

from citeloom.application.ports.catalogue import Catalogue
from citeloom.application.ports.system import Clock
from citeloom.domain.projects.project import ProjectId
from citeloom_server.domain.access import Rights, nobody

from .ports import PrincipalStore

#: How old rights may be that are acted upon between two requests: in jobs, and in streams.
SECONDS: Final = 1.0


class CurrentRights:
    """Rights read again with each request (``tell``), and once a second during longer work. A
    removed principal has none."""

    def __init__(self, store: PrincipalStore, clock: Clock, rights: Rights) -> None:
        self._store = store
        self._clock = clock
        self._lock = Lock()
        self.name = rights.name
        # Another of the same name may be added when this one was removed.
        self._since = rights.principal.created_at
        self.tell(rights)

    def tell(self, rights: Rights) -> None:
        """Note that these rights were just read."""
        with self._lock:
            self._rights, self._read_at = rights, self._clock.monotonic()

    def __call__(self) -> Rights:
        """Raises StorageFailed."""
        if self._clock.monotonic() - self._read_at >= SECONDS:
            self.read_again()
        return self._rights

    def read_again(self) -> None:
        """Raises StorageFailed."""
        found = self._store.rights(self.name)
        is_same = found is not None and found.principal.created_at == self._since
        self.tell(found if found is not None and is_same else nobody(self.name))

    def may_read(self, project_id: ProjectId) -> bool:
        return self().may_read(project_id)

    @property
    def is_administrator(self) -> bool:
        return self().is_administrator


# Their states say nothing but what becomes of a project's documents; other jobs hold somebody's
# draft or question.
_OF_PROJECTS = frozenset({"ingest"})


class JobSight:
    """A principal sees its own jobs, and ingests into projects that it may read now. ``catalogue``
    is that of the workspace."""

    def __init__(self, rights: CurrentRights, catalogue: Catalogue) -> None:
        self._rights = rights
        self._catalogue = catalogue

    @property
    def name(self) -> str:
        """The owner of new jobs."""
        return self._rights.name

    def sees(self, kind: str, project: str, owner: str) -> bool:
        rights = self._rights()
        if owner == rights.name:
            return not project or self._is_open(rights, ProjectId(value=project))
        if rights.is_administrator:
            return True
        return kind in _OF_PROJECTS and rights.may_read(ProjectId(value=project))

    def may_cancel(self, project: str, owner: str) -> bool:
        """Whether the principal owns it or its project; it is one that the principal sees."""
        rights = self._rights()
        if owner == rights.name or rights.is_administrator:
            return True
        return bool(project) and rights.may_change(ProjectId(value=project))

    def may_change(self, project: str) -> bool:
        """``project`` is any text that was asked for."""
        try:
            return self._rights().may_change(ProjectId(value=project))
        except ValueError:
            return False

    def _is_open(self, rights: Rights, project_id: ProjectId) -> bool:
        """Readable, or not there yet: the job creates it."""
        if rights.may_read(project_id):
            return True
        return all(one.id != project_id for one in self._catalogue.projects())
