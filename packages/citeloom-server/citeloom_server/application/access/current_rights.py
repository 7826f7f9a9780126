"""The rights of a principal as they are now."""

from threading import Lock
from typing import Final

from citeloom.application.ports.system import Clock
from citeloom.domain.projects.project_id import ProjectId
from citeloom_server.application.access.ports import PrincipalStore
from citeloom_server.domain.access.rights import Rights, nobody

#: How old rights may be that are acted upon between two requests: in jobs, and in streams.
SECONDS: Final = 1.0


class CurrentRights:
    """Rights read anew with each request (``tell``), and in what goes on for longer once a
    second. Those of a removed principal are none."""

    def __init__(self, store: PrincipalStore, clock: Clock, rights: Rights) -> None:
        self._store = store
        self._clock = clock
        self._lock = Lock()
        self.name = rights.name
        # Another of the same name may be added when this one was removed.
        self._since = rights.principal.created_at
        self.tell(rights)

    def tell(self, rights: Rights) -> None:
        """These were read just now."""
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
