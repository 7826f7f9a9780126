"""Jobs of two processes that share a record: listed, followed, cancelled and joined by both."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from support.in_memory.server.job_record import InMemoryJobRecord
from support.pending_answers import ends
from support.recorders import a_kind, a_recorder

from citeloom.domain.errors import NoDocuments, ProjectNotFound, StorageFailed
from citeloom.domain.jobs import JobStatus, RecordedJob, WorkerDied
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.progress import Cancelled, checkpoint
from citeloom.infrastructure.serving.jobs.job import Advance, AnyView, Job
from citeloom.infrastructure.serving.jobs.queue import Jobs, ResultNotKept
from citeloom.infrastructure.serving.next_steps import Interrupted, JobNotFound, TooManyJobs

PATIENCE = 20.0

# Jobs of an owner at once: more than any test but one has.
MOST = 8


class Process:
    """One that works on texts: those that begin with "wait" when ``go`` is set."""

    def __init__(self, record: InMemoryJobRecord) -> None:
        self.go = threading.Event()
        self.begun = threading.Event()
        self.recorder = a_recorder(record)
        process = self

        class TextJob(Job[str, str]):
            kind = "text"
            project = "local/thesis"
            steps = 0

            def work(self) -> str:
                process.begun.set()
                self.steps = 1
                if self.asked.startswith("fail"):
                    raise NoDocuments("nothing here", NextStep(Action.ADD_DOCUMENTS))
                while self.asked.startswith("wait") and not process.go.wait(0.01):
                    checkpoint()
                return self.asked.upper()

            def advance(self) -> Advance:
                return Advance(self.steps, 2)

        self.jobs: Jobs[str, str] = Jobs(a_kind("text"), TextJob, self.recorder, MOST)

    def stop(self) -> None:
        assert self.jobs.stop(PATIENCE)


@pytest.fixture
def record() -> InMemoryJobRecord:
    return InMemoryJobRecord()


@pytest.fixture
def here(record: InMemoryJobRecord) -> Iterator[Process]:
    process = Process(record)
    yield process
    process.stop()


@pytest.fixture
def there(record: InMemoryJobRecord) -> Iterator[Process]:
    process = Process(record)
    yield process
    process.stop()


def until(job: AnyView, reached: Callable[[AnyView], bool]) -> None:
    """Look at it until it is so."""
    for _ in range(int(PATIENCE / 0.02)):
        job.refresh()
        if reached(job):
            return
        time.sleep(0.02)
    raise AssertionError(job.progress())


def test_a_job_is_seen_from_the_other_process_to_its_end(here: Process, there: Process) -> None:
    own = here.jobs.submit("wait")
    seen = there.jobs.find(own.id)
    assert (seen.is_elsewhere, seen.project, seen.kind) == (True, "local/thesis", "text")
    assert json.loads(seen.asked_json()) == "wait"
    until(seen, lambda job: job.progress().done == 1)
    assert seen.status is JobStatus.RUNNING
    here.go.set()
    assert ends(own, PATIENCE)
    seen.refresh()
    assert (seen.status, seen.result(), seen.error) == (JobStatus.DONE, "WAIT", None)
    assert seen.seconds >= 0


def test_both_processes_number_the_states_of_a_job_alike(here: Process, there: Process) -> None:
    own = here.jobs.submit("wait")
    seen = there.jobs.find(own.id)
    until(seen, lambda job: job.progress().done == 1)
    here.go.set()
    assert ends(own, PATIENCE)
    seen.refresh()
    assert [*seen.events(0)] == [*own.events(0)]
    assert [one.number for one in own.events(0)] == list(range(1, own.last_event + 1))
    assert [one.number for one in seen.events(1)] == list(range(2, own.last_event + 1))


def test_what_ended_a_job_is_told_elsewhere_with_class_and_next_step(
    here: Process, there: Process
) -> None:
    own = here.jobs.submit("fail")
    assert ends(own, PATIENCE)
    with pytest.raises(NoDocuments, match="nothing here") as raised:
        there.jobs.find(own.id).result()
    assert raised.value.next_step == NextStep(Action.ADD_DOCUMENTS)
    assert there.jobs.find(own.id).status is JobStatus.FAILED


def test_a_running_job_is_cancelled_from_the_other_process(here: Process, there: Process) -> None:
    own = here.jobs.submit("wait")
    assert here.begun.wait(PATIENCE)
    seen = there.jobs.find(own.id)
    seen.cancel()
    assert seen.is_cancelling
    assert ends(own, PATIENCE)
    seen.refresh()
    assert seen.status is JobStatus.CANCELLED
    with pytest.raises(Cancelled):
        seen.result()


def test_a_job_that_waits_is_cancelled_from_the_other_process_and_never_begins(
    here: Process, there: Process
) -> None:
    here.jobs.submit("wait")
    assert here.begun.wait(PATIENCE)
    waiting = here.jobs.submit("wait for it")
    seen = there.jobs.find(waiting.id)
    assert (seen.progress().position, seen.status) == (1, JobStatus.QUEUED)
    seen.cancel()
    assert ends(waiting, PATIENCE)
    assert waiting.progress().done == 0


def test_the_same_asked_at_both_is_one_job(here: Process, there: Process) -> None:
    own = here.jobs.submit("wait", owner="ada")
    assert there.jobs.submit("wait", owner="ada").id == own.id
    other = there.jobs.submit("wait", owner="ben")
    assert other.id != own.id
    there.go.set()
    here.go.set()
    assert ends(own, PATIENCE)
    again = there.jobs.submit("wait", owner="ada")
    assert again.id not in (own.id, other.id)
    assert ends(again, PATIENCE)


def test_a_job_of_a_process_that_was_killed_has_failed_with_what_to_do(
    record: InMemoryJobRecord, here: Process
) -> None:
    now = here.recorder.clock.now()
    lost = RecordedJob(
        id="lost", kind="text", project="local/thesis", digest="d", worker="elsewhere:1:x",
        heard_at=now.replace(year=now.year - 1), created_at=now,
    )  # fmt: skip
    assert record.enter(lost, '"wait"') is None
    found = here.jobs.find("lost")
    assert found.status is JobStatus.FAILED
    with pytest.raises(WorkerDied, match="start it again"):
        found.result()


def test_a_process_that_ends_in_the_middle_says_so(there: Process, record: Any) -> None:
    here = Process(record)
    own = here.jobs.submit("wait")
    assert here.begun.wait(PATIENCE)
    here.recorder.abandon()
    with pytest.raises(Interrupted):
        there.jobs.find(own.id).result()
    here.go.set()
    here.stop()


def test_a_job_of_another_kind_or_of_nobody_is_not_found(here: Process, record: Any) -> None:
    other = Jobs(a_kind("other"), lambda *_: None, here.recorder)  # type: ignore[arg-type, return-value]
    own = here.jobs.submit("text")
    assert ends(own, PATIENCE)
    for jobs, id in ((other, own.id), (here.jobs, "nothing")):
        with pytest.raises(JobNotFound):
            jobs.find(id)


def test_a_result_that_is_too_large_stays_where_it_was_made(
    here: Process, there: Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = "citeloom.infrastructure.serving.jobs.queue"
    monkeypatch.setattr(f"{recorder}.MOST_RESULT", 5)
    own = here.jobs.submit("a long text")
    assert ends(own, PATIENCE)
    assert own.result() == "A LONG TEXT"
    with pytest.raises(ResultNotKept):
        there.jobs.find(own.id).result()


class Broken(InMemoryJobRecord):
    """A record that cannot be written while ``is_broken``."""

    is_broken = True

    def _refuse(self) -> None:
        if self.is_broken:
            raise StorageFailed("the disk is full")

    def enter(self, *arguments: Any) -> Any:
        self._refuse()
        return super().enter(*arguments)

    def finish(self, *arguments: Any) -> Any:
        self._refuse()
        return super().finish(*arguments)


def test_a_job_that_cannot_be_recorded_runs_and_the_log_says_who_knows_of_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    process = Process(Broken())
    own = process.jobs.submit("text")
    assert ends(own, PATIENCE)
    assert own.result() == "TEXT"
    assert "only this process knows of it" in caplog.text
    process.stop()


def test_an_end_that_could_not_be_written_is_written_later() -> None:
    record = Broken()
    record.is_broken = False
    process, other = Process(record), Process(record)
    own = process.jobs.submit("wait")
    assert process.begun.wait(PATIENCE)
    record.is_broken = True
    process.go.set()
    assert ends(own, PATIENCE)
    seen = other.jobs.find(own.id)
    assert not seen.has_ended
    record.is_broken = False
    until(seen, lambda job: job.has_ended)
    assert seen.result() == "WAIT"
    process.stop()
    other.stop()


def test_an_error_that_another_version_has_is_told_by_its_code(here: Process) -> None:
    from citeloom.domain.jobs import JobFailure

    failure = JobFailure.of(ProjectNotFound("local/x", ["local/y"]))
    assert isinstance(failure.as_error(), ProjectNotFound)
    unknown = failure.model_copy(update={"error": "ErrorOfTomorrow", "code": "TOMORROW"})
    assert (unknown.as_error().code, str(unknown.as_error())) == ("TOMORROW", failure.text)
    assert JobFailure.of(RuntimeError("secret")).text.startswith("the job failed")


def test_jobs_of_all_processes_count_and_what_one_works_on_already_is_joined(
    here: Process, there: Process
) -> None:
    jobs = [here.jobs.submit(f"wait {number}", owner="ada") for number in range(MOST)]
    with pytest.raises(TooManyJobs):
        there.jobs.submit("wait longer", owner="ada")
    assert there.jobs.submit("wait 0", owner="ada").id == jobs[0].id
    here.go.set()
    assert all(ends(job, PATIENCE) for job in jobs)


def test_a_process_without_jobs_tells_that_it_lives_while_it_works_on_a_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("citeloom.infrastructure.serving.jobs.queue.HEARTBEAT", timedelta(0))
    heard: list[str] = []
    twice = threading.Event()

    class Hearing(InMemoryJobRecord):
        def beat(self, worker: str, at: datetime) -> frozenset[str]:
            heard.append(worker)
            if len(heard) == 2:
                twice.set()
            return super().beat(worker, at)

    recorder = a_recorder(Hearing())
    with recorder.working(), recorder.working():
        assert twice.wait(PATIENCE)
        [thread] = [one for one in threading.enumerate() if one.name == "job record"]
    assert set(heard) == {recorder.worker}
    thread.join(PATIENCE)
    assert not thread.is_alive()
