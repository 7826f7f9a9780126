"""In-memory adapter of port ``AnswerRecord``."""

from datetime import UTC, datetime
from threading import RLock

from citeloom_server.application.answers import GivenAnswer, KnownKey, RequestKey
from citeloom_server.infrastructure.idempotency.requests import KEPT_FOR, MOST

_NEVER = datetime.min.replace(tzinfo=UTC)


class InMemoryAnswerRecord:
    def __init__(self) -> None:
        self._lock = RLock()
        self._known: dict[tuple[str, str], tuple[datetime, KnownKey]] = {}
        self._heard: dict[str, datetime] = {}

    def begin(self, request: RequestKey, worker: str, at: datetime) -> KnownKey | None:
        with self._lock:
            self._forget_old(at)
            self._heard[worker] = at
            name = (request.owner, request.key)
            if name in self._known:
                known = self._known[name][1]
                heard_at = self._heard.get(known.worker, _NEVER)
                return known.model_copy(update={"heard_at": heard_at})
            new = KnownKey(target=request.target, answer=None, worker=worker, heard_at=at)
            self._known[name] = (at, new)
        return None

    def keep(self, request: RequestKey, answer: GivenAnswer) -> None:
        with self._lock:
            begun, known = self._known[request.owner, request.key]
            kept = known.model_copy(update={"answer": answer})
            self._known[request.owner, request.key] = (begun, kept)

    def forget(self, request: RequestKey) -> None:
        with self._lock:
            self._known.pop((request.owner, request.key), None)

    def close(self) -> None:
        """Nothing is held open."""

    def _forget_old(self, now: datetime) -> None:
        given = [one for one in self._known.items() if one[1][1].answer is not None]
        given.sort(key=lambda one: one[1][0], reverse=True)
        old = [name for name, (begun, _) in self._known.items() if begun <= now - KEPT_FOR]
        for name in {*old, *(name for name, _ in given[MOST - 1 :])}:
            del self._known[name]
