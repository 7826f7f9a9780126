"""Record of jobs in SQL (port ``JobRecord``), and the processes that work on them."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Final

from citeloom.application.ports.jobs import JobEvent, JobFilter
from citeloom.domain.errors import StorageFailed
from citeloom.domain.jobs import (
    KEPT_FOR,
    MOST_EVENTS,
    MOST_KEPT,
    JobFailure,
    JobProgress,
    RecordedJob,
)
from citeloom.domain.leases import DEAD_AFTER
from citeloom.infrastructure.storage.database.database import (
    ConflictError,
    Database,
    Row,
    Transaction,
    insert_into,
    put_into,
    time_text,
)
from citeloom.infrastructure.storage.database.store import SqlStore

# Held while a job is entered: of equal ones that come at once one is.
_ENTERING: Final = "jobs"
_GOING_ON: Final = "jobs.status IN ('queued', 'running')"
_COLUMNS: Final = (
    "jobs.id, kind, project, owner, session, digest, progress, sequence, failure, cancelling, "
    "worker, created_at, ended_at, workers.heard_at AS heard_at"
)
_JOBS: Final = f"SELECT {_COLUMNS} FROM jobs LEFT JOIN workers ON workers.id = jobs.worker"
#: Columns that hold a field of their name as it is.
_SAME: Final = ("id", "kind", "project", "owner", "session", "digest", "sequence", "worker")
_NEVER: Final = "0001-01-01T00:00:00.000000+00:00"


@contextmanager
def changing(database: Database) -> Iterator[Transaction]:
    """Raises StorageFailed for rows that do not fit together too."""
    try:
        with database.writing() as transaction:
            yield transaction
    except ConflictError as error:
        raise StorageFailed(
            f"the record of jobs and answers: a row does not fit ({error}); nothing was written"
        ) from error


def hear(transaction: Transaction, worker: str, at: datetime) -> None:
    """Note that a worker lives."""
    row = {"id": worker, "heard_at": time_text(at)}
    transaction.run(put_into("workers", row), row)


class SqlJobRecord(SqlStore):
    def enter(self, job: RecordedJob, asked: str) -> RecordedJob | None:
        with changing(self._database) as transaction:
            transaction.hold(_ENTERING)
            _forget(transaction, job.created_at)
            hear(transaction, job.worker, job.heard_at)
            if (equal := _equal(transaction, job)) is not None:
                return equal
            row = {
                **{name: getattr(job, name) for name in _SAME},
                **_state(job.progress),
                "asked": asked,
                "cancelling": False,
                "created_at": time_text(job.created_at),
            }
            transaction.run(insert_into("jobs", row), row)
            _put_event(transaction, job.id, JobEvent(number=job.sequence, progress=job.progress))
        return None

    def extend(self, id: str, asked: str, digest: str) -> None:
        with changing(self._database) as transaction:
            transaction.run(
                "UPDATE jobs SET asked = :asked, digest = :digest WHERE id = :id",
                {"id": id, "asked": asked, "digest": digest},
            )

    def advance(self, id: str, event: JobEvent, at: datetime) -> bool:
        with changing(self._database) as transaction:
            row = {"id": id, **_state(event.progress), "sequence": event.number}
            transaction.run(
                "UPDATE jobs SET status = :status, progress = :progress, sequence = :sequence, "
                "failure = NULL, ended_at = NULL WHERE id = :id",
                row,
            )
            _put_event(transaction, id, event)
            found = transaction.rows("SELECT worker, cancelling FROM jobs WHERE id = :id", row)
            hear(transaction, found[0]["worker"], at)
            return bool(found[0]["cancelling"])

    def finish(self, job: RecordedJob, result: str | None) -> None:
        with changing(self._database) as transaction:
            assert job.ended_at is not None
            row = {
                "id": job.id,
                **_state(job.progress),
                "session": job.session,
                "failure": job.failure and job.failure.model_dump_json(),
                "result": result,
                "ended_at": time_text(job.ended_at),
            }
            transaction.run(
                "UPDATE jobs SET status = :status, progress = :progress, session = :session, "
                "failure = :failure, result = :result, ended_at = :ended_at WHERE id = :id",
                row,
            )

    def beat(self, worker: str, at: datetime) -> frozenset[str]:
        with changing(self._database) as transaction:
            hear(transaction, worker, at)
            rows = transaction.rows(
                f"SELECT id FROM jobs WHERE worker = :worker AND cancelling = :yes AND {_GOING_ON}",
                {"worker": worker, "yes": True},
            )
        return frozenset(row["id"] for row in rows)

    def find(self, name: str) -> RecordedJob | None:
        statement = f"{_JOBS} WHERE jobs.id = :name OR session = :name ORDER BY created_at DESC"
        rows = self._rows(f"{statement}, jobs.id LIMIT 1", {"name": name})
        return _job(rows[0]) if rows else None

    def jobs(self, wanted: JobFilter) -> Sequence[RecordedJob]:
        parameters = {"project": wanted.project, "owner": wanted.owner}
        given = {name: value for name, value in parameters.items() if value is not None}
        conditions = [f"{name} = :{name}" for name in given]
        conditions += [_GOING_ON] if wanted.going_on else []
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        rows = self._rows(f"{_JOBS}{where} ORDER BY created_at, jobs.id", given)
        return [_job(row) for row in rows]

    def asked(self, id: str) -> str | None:
        return self._text("asked", id)

    def result(self, id: str) -> str | None:
        return self._text("result", id)

    def events(self, id: str, after: int) -> Sequence[JobEvent]:
        rows = self._rows(
            "SELECT number, progress FROM job_events WHERE job_id = :id AND number > :after "
            "ORDER BY number",
            {"id": id, "after": after},
        )
        return [
            JobEvent(
                number=row["number"], progress=JobProgress.model_validate_json(row["progress"])
            )
            for row in rows
        ]

    def cancel(self, id: str) -> None:
        with changing(self._database) as transaction:
            transaction.run(
                f"UPDATE jobs SET cancelling = :yes WHERE id = :id AND {_GOING_ON}",
                {"id": id, "yes": True},
            )

    def bury(self, at: datetime, has_ended: Callable[[str], bool]) -> Sequence[str]:
        statement = f"{_JOBS} WHERE {_GOING_ON}"

        def dead(rows: Sequence[Row]) -> list[RecordedJob]:
            jobs = [_job(row) for row in rows]
            return [one for one in jobs if one.is_dead(at) or has_ended(one.worker)]

        if not dead(self._rows(statement, {})):  # nothing is written then
            return ()
        with changing(self._database) as transaction:
            transaction.hold(_ENTERING)
            ended = [one.buried(at) for one in dead(transaction.rows(statement, {}))]
            for job in ended:
                assert job.failure is not None
                row = {"id": job.id, **_state(job.progress), "at": time_text(at)}
                row["failure"] = job.failure.model_dump_json()
                transaction.run(
                    "UPDATE jobs SET status = :status, progress = :progress, failure = :failure, "
                    "ended_at = :at WHERE id = :id",
                    row,
                )
        return [job.id for job in ended]

    def _text(self, column: str, id: str) -> str | None:
        rows = self._rows(f"SELECT {column} FROM jobs WHERE id = :id", {"id": id})
        return rows[0][column] if rows else None


def _equal(transaction: Transaction, job: RecordedJob) -> RecordedJob | None:
    rows = transaction.rows(
        f"{_JOBS} WHERE {_GOING_ON} AND kind = :kind AND owner = :owner AND digest = :digest "
        "AND cancelling = :no AND worker <> :worker AND heard_at >= :since "
        "ORDER BY created_at LIMIT 1",
        {
            "kind": job.kind,
            "owner": job.owner,
            "digest": job.digest,
            "no": False,
            "worker": job.worker,
            "since": time_text(job.created_at - DEAD_AFTER),
        },
    )
    return _job(rows[0]) if rows else None


def _forget(transaction: Transaction, now: datetime) -> None:
    before = {"before": time_text(now - KEPT_FOR)}
    transaction.run("DELETE FROM jobs WHERE ended_at < :before", before)
    transaction.run(
        "DELETE FROM jobs WHERE id IN (SELECT id FROM jobs WHERE ended_at IS NOT NULL "
        "ORDER BY ended_at DESC LIMIT 1000000 OFFSET :most)",
        {"most": MOST_KEPT - 1},
    )
    transaction.run(
        "DELETE FROM workers WHERE heard_at < :before "
        f"AND id NOT IN (SELECT worker FROM jobs WHERE {_GOING_ON})",
        before,
    )


def _put_event(transaction: Transaction, id: str, event: JobEvent) -> None:
    row = {"job_id": id, "number": event.number, "progress": event.progress.model_dump_json()}
    transaction.run(put_into("job_events", row, "job_id, number"), row)
    transaction.run(
        "DELETE FROM job_events WHERE job_id = :id AND number <= :last",
        {"id": id, "last": event.number - MOST_EVENTS},
    )


def _state(progress: JobProgress) -> dict[str, str]:
    return {"status": progress.status.value, "progress": progress.model_dump_json()}


def _job(row: Row) -> RecordedJob:
    """A worker that is no longer known counts as never heard."""
    values = dict(row)
    values["progress"] = JobProgress.model_validate_json(row["progress"])
    values["cancelling"] = bool(row["cancelling"])
    values["heard_at"] = row["heard_at"] or _NEVER
    if row["failure"] is not None:
        values["failure"] = JobFailure.model_validate_json(row["failure"])
    return RecordedJob.model_validate(values)
