"""In-memory adapter of port ``JobRecord``."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from threading import RLock

from citeloom.application.ports.jobs import JobEvent, JobFilter
from citeloom.domain.jobs import KEPT_FOR, MOST_EVENTS, MOST_KEPT, RecordedJob

_NEVER = datetime.min.replace(tzinfo=UTC)


class InMemoryJobRecord:
    def __init__(self) -> None:
        self._lock = RLock()
        self._jobs: dict[str, RecordedJob] = {}
        self._asked: dict[str, str] = {}
        self._results: dict[str, str | None] = {}
        self._events: dict[str, dict[int, JobEvent]] = {}
        self._heard: dict[str, datetime] = {}

    def enter(self, job: RecordedJob, asked: str) -> RecordedJob | None:
        with self._lock:
            self._forget(job.created_at)
            self._heard[job.worker] = job.heard_at
            for other in self._all():
                is_equal = (other.kind, other.owner, other.digest) == (
                    job.kind, job.owner, job.digest,
                )  # fmt: skip
                goes_on = not (other.status.is_end or other.cancelling)
                alive = not other.is_dead(job.created_at)
                if is_equal and goes_on and alive and other.worker != job.worker:
                    return other
            self._jobs[job.id], self._asked[job.id] = job, asked
            first = JobEvent(number=job.sequence, progress=job.progress)
            self._events[job.id] = {job.sequence: first}
        return None

    def extend(self, id: str, asked: str, digest: str) -> None:
        with self._lock:
            self._asked[id] = asked
            self._jobs[id] = self._jobs[id].model_copy(update={"digest": digest})

    def advance(self, id: str, event: JobEvent, at: datetime) -> bool:
        with self._lock:
            job = self._jobs[id]
            self._heard[job.worker] = at
            changes = {"progress": event.progress, "sequence": event.number}
            self._jobs[id] = job.model_copy(update=changes | {"failure": None, "ended_at": None})
            events = self._events[id]
            events[event.number] = event
            for number in [one for one in events if one <= event.number - MOST_EVENTS]:
                del events[number]
            return job.cancelling

    def finish(self, job: RecordedJob, result: str | None) -> None:
        with self._lock:
            changes = {name: getattr(job, name) for name in ("progress", "session", "failure")}
            changes["ended_at"] = job.ended_at
            self._jobs[job.id] = self._jobs[job.id].model_copy(update=changes)
            self._results[job.id] = result

    def beat(self, worker: str, at: datetime) -> frozenset[str]:
        with self._lock:
            self._heard[worker] = at
            own = [one for one in self._jobs.values() if one.worker == worker]
        return frozenset(one.id for one in own if one.cancelling and not one.status.is_end)

    def find(self, name: str) -> RecordedJob | None:
        found = [one for one in self._all() if name in (one.id, one.session)]
        return found[-1] if found else None

    def jobs(self, wanted: JobFilter) -> Sequence[RecordedJob]:
        return [
            one
            for one in self._all()
            if wanted.project in (None, one.project)
            and wanted.owner in (None, one.owner)
            and not (wanted.going_on and one.status.is_end)
        ]

    def asked(self, id: str) -> str | None:
        return self._asked.get(id)

    def result(self, id: str) -> str | None:
        return self._results.get(id)

    def events(self, id: str, after: int) -> Sequence[JobEvent]:
        with self._lock:
            events = self._events.get(id, {})
            return [events[number] for number in sorted(events) if number > after]

    def cancel(self, id: str) -> None:
        with self._lock:
            if (job := self._jobs.get(id)) is not None and not job.status.is_end:
                self._jobs[id] = job.model_copy(update={"cancelling": True})

    def bury(self, at: datetime, has_ended: Callable[[str], bool]) -> Sequence[str]:
        with self._lock:
            going_on = [one for one in self._all() if not one.status.is_end]
            dead = [one for one in going_on if one.is_dead(at) or has_ended(one.worker)]
            self._jobs.update({one.id: one.buried(at) for one in dead})
        return [one.id for one in dead]

    def close(self) -> None:
        """Nothing is held open."""

    def _all(self) -> list[RecordedJob]:
        with self._lock:
            known = sorted(self._jobs.values(), key=lambda one: (one.created_at, one.id))
            return [
                one.model_copy(update={"heard_at": self._heard.get(one.worker, _NEVER)})
                for one in known
            ]

    def _forget(self, now: datetime) -> None:
        ended = sorted(
            (one for one in self._jobs.values() if one.ended_at is not None),
            key=lambda one: one.ended_at or _NEVER,
            reverse=True,
        )
        for place, job in enumerate(ended):
            if job.ended_at and (job.ended_at < now - KEPT_FOR or place >= MOST_KEPT - 1):
                for kept in (self._jobs, self._asked, self._results, self._events):
                    kept.pop(job.id, None)
