"""Looking at sessions of research, and cancelling, deleting, restoring them.

Before anything is told, sessions whose workers have died are marked, and what was deleted long
ago is removed for good. Where nothing can be written, those that died are told as they would be
marked.
"""

from typing import Final
from uuid import UUID

from citeloom.application.ports.research import Recorded, ResearchRecord, SessionFilter
from citeloom.application.ports.system import Clock
from citeloom.domain.errors import InvalidRequest, SessionNotFound, StorageFailed
from citeloom.domain.research.events import ResearchEvent
from citeloom.domain.research.lifecycle import died, not_found
from citeloom.domain.research.session import LOCAL_USER, RECOVERABLE, ResearchSession

#: The session that was begun last.
LAST: Final = "last"
# Sessions that are looked through where those that died could not be marked.
_ALL: Final = 1_000_000


class Sessions:
    """Sessions of one user. They are named by an id, a unique beginning of one, or ``last``."""

    def __init__(self, record: ResearchRecord, clock: Clock, user_id: str = LOCAL_USER) -> None:
        self._record = record
        self._clock = clock
        self._user = user_id

    def list(self, listed: SessionFilter) -> tuple[ResearchSession, ...]:
        """Of this user, whoever ``listed`` names; without their ``state``."""
        asked = listed.model_copy(update={"user_id": self._user})
        if self._settle():
            return self._record.sessions(asked)
        every = asked.model_copy(update={"statuses": (), "limit": _ALL})
        found = [self._as_settled(one) for one in self._record.sessions(every)]
        wanted = [one for one in found if not listed.statuses or one.status in listed.statuses]
        return tuple(wanted[: listed.limit])

    def find(self, name: str, *, deleted: bool = False) -> UUID:
        """The id of a session; ``last`` is the last of those that are ``deleted``, or are not.
        Raises SessionNotFound, and InvalidRequest for a beginning that fits several."""
        self._settle()
        if name.strip().lower() == LAST:
            asked = SessionFilter(user_id=self._user, deleted=deleted, limit=1)
            last = self._record.sessions(asked)
            if not last:
                which = "deleted sessions" if deleted else "sessions yet"
                raise SessionNotFound(
                    f"{name}: there are no {which}; `citeloom session list` shows what there is",
                    session=name,
                )
            return last[0].id
        found = self._record.find(name) if name.strip() else ()
        if len(found) > 1:
            raise InvalidRequest(
                f"{name}: {len(found)} sessions begin so, like {found[0]} and {found[1]}; "
                "write more of it",
                parameter="session",
            )
        if not found:
            raise not_found(name)
        return found[0]

    def show(self, name: str) -> Recorded:
        """Raises what ``find`` raises; so do the others."""
        found = self._record.recorded(self.find(name))
        return found.model_copy(update={"session": self._as_settled(found.session)})

    def events(self, name: str, after: int = 0) -> tuple[ResearchEvent, ...]:
        return self._record.events(self.find(name), after)

    def cancel(self, name: str) -> ResearchSession:
        """Raises SessionEnded where it does not run."""
        return self._record.cancel(self.find(name), self._clock.now())

    def delete(self, name: str) -> ResearchSession:
        """Raises SessionBusy while it runs."""
        id = self.find(name)
        self._record.delete(id, self._clock.now())
        return self._record.session(id)

    def remove(self, name: str) -> ResearchSession:
        """Delete it for good; as it was. Raises SessionBusy while it runs."""
        session = self._record.session(self.find(name))
        self._record.remove(session.id, self._clock.now())
        return session

    def restore(self, name: str) -> ResearchSession:
        id = self.find(name, deleted=True)
        self._record.restore(id)
        return self._record.session(id)

    def _settle(self) -> bool:
        """Whether it could be written down; a workspace can be there for reading only."""
        now = self._clock.now()
        try:
            self._record.bury(now)
            self._record.purge(now - RECOVERABLE)
        except StorageFailed:  # whoever wants to write is told, and so is who cannot read either
            return False
        return True

    def _as_settled(self, session: ResearchSession) -> ResearchSession:
        now = self._clock.now()
        return died(session, now)[0] if session.is_dead(now) else session
