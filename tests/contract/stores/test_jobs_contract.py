"""Every record of jobs does the same: in memory, on SQLite, on PostgreSQL."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Barrier
from uuid import uuid4

import pytest
from support.in_memory.server.job_record import InMemoryJobRecord
from support.stores.catalogues import STORES, reopening

from citeloom.application.ports.jobs import JobEvent, JobFilter, JobRecord
from citeloom.domain.jobs import (
    KEPT_FOR,
    MOST_EVENTS,
    JobFailure,
    JobProgress,
    JobStatus,
    RecordedJob,
    WorkerDied,
)
from citeloom.domain.leases import DEAD_AFTER
from citeloom.infrastructure.storage.jobs import SqlJobRecord

Reopen = Callable[[], JobRecord]
NOW = datetime(2026, 3, 1, 12, 30, 15, 123456, tzinfo=UTC)
SILENT = DEAD_AFTER + timedelta(microseconds=1)
RUNNING = JobProgress(
    status=JobStatus.RUNNING, done=1.5, total=4, doing="reading Ångström.pdf", started_at=NOW,
    counts={"documents_done": 1, "documents_total": None},
)  # fmt: skip


@pytest.fixture(params=STORES)
def reopen(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Reopen]:
    yield from reopening(request, tmp_path, InMemoryJobRecord, SqlJobRecord)


@pytest.fixture
def record(reopen: Reopen) -> JobRecord:
    return reopen()


def nobody(_worker: str) -> bool:
    """No process is known to have ended."""
    return False


def a_job(worker: str = "one", at: datetime = NOW, **changes: object) -> RecordedJob:
    values: dict[str, object] = {
        "id": uuid4().hex, "kind": "ingest", "project": "local/thesis", "digest": uuid4().hex,
        "worker": worker, "heard_at": at, "created_at": at,
    }  # fmt: skip
    return RecordedJob.model_validate(values | changes)


def entered(record: JobRecord, **changes: object) -> RecordedJob:
    job = a_job(**changes)  # type: ignore[arg-type]
    assert record.enter(job, "{}") is None
    return job


def ended(job: RecordedJob, at: datetime, status: JobStatus = JobStatus.DONE) -> RecordedJob:
    changes = {"progress": JobProgress(status=status, started_at=NOW), "ended_at": at}
    return job.model_copy(update=changes)


def test_another_process_reads_what_a_worker_wrote(reopen: Reopen) -> None:
    record = reopen()
    job = a_job(session="5e55", owner="ada")
    assert record.enter(job, '{"source": "/päpers"}') is None
    assert not record.advance(job.id, JobEvent(number=2, progress=RUNNING), NOW)
    other = reopen()
    assert other.find(job.id) == job.model_copy(update={"progress": RUNNING, "sequence": 2})
    assert other.find("5e55") == other.find(job.id)
    assert other.asked(job.id) == '{"source": "/päpers"}'
    assert other.result(job.id) is None
    assert [(one.number, one.progress) for one in other.events(job.id, 0)] == [
        (1, JobProgress()), (2, RUNNING),
    ]  # fmt: skip
    assert [one.number for one in other.events(job.id, 1)] == [2]


def test_a_job_that_nobody_entered_is_not_there(record: JobRecord) -> None:
    assert record.find("none") is None
    assert (record.asked("none"), record.result("none")) == (None, None)
    assert list(record.events("none", 0)) == []
    record.cancel("none")


def test_the_end_of_a_job_is_kept_with_its_result(reopen: Reopen) -> None:
    record = reopen()
    done, failed = entered(record), entered(record)
    record.finish(ended(done, NOW).model_copy(update={"session": "5e55"}), '{"ok": true}')
    failure = JobFailure(error="NoDocuments", code="NONE", text="nothing – here", details={"n": 1})
    end = ended(failed, NOW, JobStatus.FAILED).model_copy(update={"failure": failure})
    record.finish(end, None)
    other = reopen()
    assert other.find(done.id) == ended(done, NOW).model_copy(update={"session": "5e55"})
    assert other.result(done.id) == '{"ok": true}'
    assert other.find(failed.id) == end


def test_a_state_written_twice_is_one_event(record: JobRecord) -> None:
    job = entered(record)
    later = RUNNING.model_copy(update={"done": 2})
    record.advance(job.id, JobEvent(number=2, progress=RUNNING), NOW)
    record.advance(job.id, JobEvent(number=2, progress=later), NOW)
    assert [one.progress for one in record.events(job.id, 1)] == [later]


def test_the_oldest_states_are_forgotten(record: JobRecord) -> None:
    job = entered(record)
    for number in (2, MOST_EVENTS + 1, MOST_EVENTS + 2):
        record.advance(job.id, JobEvent(number=number, progress=RUNNING), NOW)
    kept = [one.number for one in record.events(job.id, 0)]
    assert kept == [MOST_EVENTS + 1, MOST_EVENTS + 2]


def test_jobs_are_listed_in_order_of_arrival(record: JobRecord) -> None:
    later = entered(record, at=NOW + timedelta(seconds=1), project="local/other", owner="ada")
    first = entered(record)
    record.finish(ended(first, NOW), None)
    assert [one.id for one in record.jobs(JobFilter())] == [first.id, later.id]
    assert [one.id for one in record.jobs(JobFilter(project="local/other"))] == [later.id]
    assert [one.id for one in record.jobs(JobFilter(owner="ada", going_on=True))] == [later.id]
    assert record.jobs(JobFilter(owner="ben")) in ([], ())


def test_who_asks_for_the_same_at_another_process_is_told_of_the_job(record: JobRecord) -> None:
    first = entered(record)
    found = record.enter(a_job("two", digest=first.digest), "{}")
    assert found is not None
    assert found.id == first.id
    for other in ({"owner": "ben"}, {"kind": "verify"}, {"digest": "d2"}):
        assert record.enter(a_job("two", **({"digest": first.digest} | other)), "{}") is None


def test_a_job_that_was_asked_for_more_is_another_request(record: JobRecord) -> None:
    first = entered(record, digest="d1")
    record.extend(first.id, '{"n": 2}', "d2")
    assert record.asked(first.id) == '{"n": 2}'
    assert record.enter(a_job("two", digest="d1"), "{}") is None
    assert record.enter(a_job("three", digest="d2"), "{}") is not None


@pytest.mark.parametrize("why", ["cancelled", "ended", "dead", "its own"])
def test_a_job_that_will_not_answer_is_not_joined(record: JobRecord, why: str) -> None:
    first = entered(record)
    if why == "cancelled":
        record.cancel(first.id)
    if why == "ended":
        record.finish(ended(first, NOW), None)
    worker = "one" if why == "its own" else "two"
    at = NOW + SILENT if why == "dead" else NOW
    assert record.enter(a_job(worker, at, digest=first.digest), "{}") is None


def test_a_worker_learns_that_its_job_is_to_be_cancelled(reopen: Reopen) -> None:
    record, other = reopen(), reopen()
    job, _ = entered(record), entered(record)
    over = entered(record)
    record.finish(ended(over, NOW), None)
    other.cancel(job.id)
    other.cancel(over.id)
    assert record.beat("one", NOW) == {job.id}
    assert record.beat("two", NOW) == frozenset()
    assert record.advance(job.id, JobEvent(number=2, progress=RUNNING), NOW)
    assert [one.cancelling for one in record.jobs(JobFilter())].count(True) == 1


def test_jobs_of_a_silent_worker_end_and_say_what_to_do(reopen: Reopen) -> None:
    record, other = reopen(), reopen()
    dead, asked_to_end = entered(record), entered(record)
    record.cancel(asked_to_end.id)
    alive = entered(record, worker="two", at=NOW)
    record.beat("two", NOW + SILENT)
    assert list(other.bury(NOW + DEAD_AFTER, nobody)) == []
    assert sorted(other.bury(NOW + SILENT, nobody)) == sorted([dead.id, asked_to_end.id])
    assert list(other.bury(NOW + SILENT, nobody)) == []
    found = record.find(dead.id)
    assert found is not None
    assert (found.status, found.ended_at) == (JobStatus.FAILED, NOW + SILENT)
    assert found.failure is not None
    error = found.failure.as_error()
    assert isinstance(error, WorkerDied)
    assert "ingest the same again" in error.message
    states = {one.id: one.status for one in record.jobs(JobFilter())}
    assert states[asked_to_end.id] is JobStatus.CANCELLED
    assert states[alive.id] is JobStatus.QUEUED


def test_jobs_of_a_worker_that_is_known_to_have_ended_end_at_once(record: JobRecord) -> None:
    job, other = entered(record), entered(record, worker="two")
    assert list(record.bury(NOW, lambda worker: worker == "one")) == [job.id]
    states = {one.id: one.status for one in record.jobs(JobFilter())}
    assert (states[job.id], states[other.id]) == (JobStatus.FAILED, JobStatus.QUEUED)


def test_a_worker_that_was_only_slow_goes_on_with_its_job(record: JobRecord) -> None:
    job = entered(record)
    record.bury(NOW + SILENT, nobody)
    record.advance(job.id, JobEvent(number=2, progress=RUNNING), NOW + SILENT)
    found = record.find(job.id)
    assert found is not None
    assert (found.status, found.failure, found.ended_at) == (JobStatus.RUNNING, None, None)
    assert list(record.bury(NOW + SILENT, nobody)) == []


def test_jobs_that_ended_long_ago_are_forgotten(record: JobRecord) -> None:
    old, kept, going_on = entered(record), entered(record), entered(record)
    record.finish(ended(old, NOW), '{"n": 1}')
    record.finish(ended(kept, NOW + timedelta(seconds=1)), None)
    new = entered(record, at=NOW + KEPT_FOR + timedelta(seconds=1))
    assert {one.id for one in record.jobs(JobFilter())} == {kept.id, going_on.id, new.id}
    assert record.result(old.id) is None
    assert list(record.events(old.id, 0)) == []


def test_only_so_many_jobs_are_kept(record: JobRecord, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (
        "citeloom.infrastructure.storage.jobs",
        "support.in_memory.server.job_record",
    ):
        monkeypatch.setattr(f"{module}.MOST_KEPT", 2)
    jobs = [entered(record) for _ in range(3)]
    for number, job in enumerate(jobs):
        record.finish(ended(job, NOW + timedelta(seconds=number)), None)
    going_on = entered(record)
    kept = {one.id for one in record.jobs(JobFilter())}
    assert kept == {jobs[2].id, going_on.id}


def test_of_processes_that_ask_for_the_same_at_once_one_does_it(reopen: Reopen) -> None:
    records = [reopen() for _ in range(4)]
    together = Barrier(4)

    def ask(number: int) -> bool:
        together.wait(30)
        return records[number].enter(a_job(str(number), digest="same"), "{}") is None

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(ask, range(4))) == 1
    assert len(records[0].jobs(JobFilter())) == 1
