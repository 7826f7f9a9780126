"""Jobs in the background; ingests."""

import threading
from collections.abc import Iterator
from typing import Any, cast

import pytest
from support.pending_answers import ends
from support.recorders import a_recorder

from citeloom.application.ports.ingest import IngestStage, Progress, SilentProgress
from citeloom.application.ports.jobs import JobFilter
from citeloom.domain.errors import NoDocuments
from citeloom.domain.ingest import DocumentReport, DocumentStatus, IngestRequest, IngestResult
from citeloom.domain.jobs import JobStatus
from citeloom.domain.progress import Cancelled, checkpoint
from citeloom.domain.projects.project import ProjectId
from citeloom.infrastructure.mcp.answers.jobs import unfinished
from citeloom.infrastructure.serving.jobs.ingests import (
    IngestJob,
    Wanted,
    duration,
    ingests,
    run_recorded,
)
from citeloom.infrastructure.serving.jobs.queue import Jobs
from citeloom.infrastructure.serving.next_steps import Interrupted, JobNotFound, TooManyJobs

PATIENCE = 10.0
IngestJobs = Jobs[Wanted, IngestResult]


class SlowIngest:
    """Two documents, the second of which waits until it is let go."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.half = threading.Event()
        self.ran: list[str] = []
        self.at_once = self.most_at_once = 0

    def __call__(self, request: IngestRequest, progress: Progress) -> IngestResult:
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        source = request.sources[0]
        self.ran.append(source)
        try:
            if source == "empty":
                raise NoDocuments("empty: nothing here")
            if source == "broken":
                raise RuntimeError("boom")
            progress.begin(2)
            progress.stage(source, IngestStage.CONVERTING)
            report = DocumentReport(source=source, status=DocumentStatus.ADDED)
            progress.done(report)
            self.half.set()
            progress.stage("/papers/second.pdf", IngestStage.EMBEDDING)
            while not self.go.wait(0.01):
                checkpoint()
            progress.done(report)
            return IngestResult(
                project=request.project_id.value,
                documents=(report,),
                documents_processed=1,
                chunks_written=0,
                chunks_total=0,
                duration_seconds=0.0,
                embed_model="m",
                correlation_id="run",
            )
        finally:
            self.at_once -= 1


def request(source: str) -> IngestRequest:
    return IngestRequest(project_id=ProjectId.parse("p"), sources=(source,))


@pytest.fixture
def ingest() -> SlowIngest:
    return SlowIngest()


@pytest.fixture
def jobs(ingest: SlowIngest) -> Iterator[IngestJobs]:
    jobs = ingests(ingest, a_recorder())
    yield jobs
    assert jobs.stop(PATIENCE)


def test_a_running_job_tells_how_far_it_is(jobs: IngestJobs, ingest: SlowIngest) -> None:
    job = jobs.submit(request("a"))
    assert ingest.half.wait(PATIENCE)
    assert not ends(job, 0.05)

    told = unfinished(jobs.find(job.id))

    assert told == {
        "job_id": job.id,
        "status": "running",
        "project": "local/p",
        "documents_done": 1,
        "documents_total": 2,
        "doing": "embedding second.pdf",
        "next": "jobs with this job_id",
    }


def test_a_job_gives_its_result_when_it_has_ended(jobs: IngestJobs, ingest: SlowIngest) -> None:
    job = jobs.submit(request("a"))
    ingest.go.set()

    assert ends(job, PATIENCE)
    assert job.status is JobStatus.DONE
    assert job.result().correlation_id == "run"


def test_ingests_run_one_at_a_time_in_order(jobs: IngestJobs, ingest: SlowIngest) -> None:
    first, second = jobs.submit(request("a")), jobs.submit(request("b"))
    assert ingest.half.wait(PATIENCE)
    told = unfinished(second)
    assert (told["status"], told["position"], told["waits_for"]) == ("queued", 1, first.id)
    assert told["documents_total"] is None
    assert "position" not in unfinished(first)

    ingest.go.set()

    assert ends(first, PATIENCE)
    assert ends(second, PATIENCE)
    assert ingest.ran == ["a", "b"]
    assert ingest.most_at_once == 1


def test_asking_for_the_same_again_gives_the_same_job(jobs: IngestJobs, ingest: SlowIngest) -> None:
    first = jobs.submit(request("a"))
    assert jobs.submit(request("a")) is first

    ingest.go.set()
    assert ends(first, PATIENCE)

    assert jobs.submit(request("a")) is not first


def test_a_job_raises_what_the_ingest_raised(jobs: IngestJobs) -> None:
    empty, broken = jobs.submit(request("empty")), jobs.submit(request("broken"))
    assert ends(empty, PATIENCE)
    assert ends(broken, PATIENCE)

    with pytest.raises(NoDocuments):
        empty.result()
    with pytest.raises(RuntimeError, match="boom"):
        broken.result()


def test_a_job_that_is_not_known_is_told_with_how_long_jobs_are_kept(jobs: IngestJobs) -> None:
    with pytest.raises(JobNotFound, match="kept for 7 days"):
        jobs.find("0" * 32)


def test_a_job_that_is_cancelled_ends_at_its_next_checkpoint(
    jobs: IngestJobs, ingest: SlowIngest
) -> None:
    job = jobs.submit(request("a"))
    assert ingest.half.wait(PATIENCE)

    job.cancel()

    assert ends(job, PATIENCE)
    told = unfinished(job)
    assert (told["status"], told["documents_done"]) == ("cancelled", 1)
    assert "continues" in told["next"]
    with pytest.raises(Cancelled):
        job.result()
    assert jobs.submit(request("a")) is not job


def test_a_job_that_waits_is_cancelled_at_once_and_never_begins(
    jobs: IngestJobs, ingest: SlowIngest
) -> None:
    jobs.submit(request("a"))
    waiting = jobs.submit(request("b"))

    waiting.cancel()

    assert ends(waiting, 0)
    assert waiting.status is JobStatus.CANCELLED
    ingest.go.set()
    last = jobs.submit(request("c"))
    assert ends(last, PATIENCE)
    assert ingest.ran == ["a", "c"]


def test_a_job_that_waits_takes_in_what_belongs_to_it(jobs: IngestJobs, ingest: SlowIngest) -> None:
    def both(one: Wanted, other: Wanted) -> Wanted | None:
        assert isinstance(one, IngestRequest)
        assert isinstance(other, IngestRequest)
        if "alone" in one.sources[0]:
            return None
        return one.model_copy(update={"sources": (*one.sources, *other.sources)})

    first = jobs.submit(request("a"), both)
    assert ingest.half.wait(PATIENCE)
    alone, second = jobs.submit(request("alone"), both), jobs.submit(request("b"), both)
    assert len({first.id, alone.id, second.id}) == 3
    assert jobs.submit(request("c"), both) is second
    assert second.asked.sources == (*request("b").sources, *request("c").sources)
    assert first.asked == request("a")
    second.cancel()
    assert jobs.submit(request("d"), both) is not second


def test_a_job_goes_on_while_somebody_waits_for_it_or_knows_its_id(
    jobs: IngestJobs, ingest: SlowIngest
) -> None:
    job, other = jobs.submit(request("a")), threading.Event()
    job.join(other.set)
    job.give_up()
    assert not job.is_cancelling

    job.leave(other.set)
    job.is_known = True
    job.give_up()
    assert not job.is_cancelling

    job.is_known = False
    job.give_up()
    assert ends(job, PATIENCE)
    assert job.status is JobStatus.CANCELLED


def test_the_pace_of_an_ingest_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    job = IngestJob(request("a"), threading.Event(), cast(Any, None))
    job.begin(5)
    job.done(DocumentReport(source="/old.pdf", status=DocumentStatus.UNCHANGED))
    assert (job.passages_per_second, job.seconds_left) == (None, None)

    job.stage("/a.pdf", IngestStage.CONVERTING)
    now += 10
    job.pages("/a.pdf", 1, 8)
    assert job.seconds_left is None
    now += 10
    report = DocumentReport(source="/a.pdf", status=DocumentStatus.ADDED, pages=8, chunks=40)
    job.done(report)

    assert (job.passages_per_second, job.seconds_left) == (2.0, 60.0)
    assert job.advance() == (
        2,
        5,
        "converting a.pdf, page 1 of 8, 8 pages, 40 passages, 2 passages/s, about 1 min left",
    )


@pytest.mark.parametrize(("seconds", "said"), [(41.0, "41 s"), (90.0, "2 min"), (5400.0, "1.5 h")])
def test_durations_are_said_as_people_say_them(seconds: float, said: str) -> None:
    assert duration(seconds) == said


def test_a_document_that_is_begun_counts_in_part() -> None:
    def halfway(asked: IngestRequest, progress: Progress) -> IngestResult:
        assert isinstance(progress, IngestJob)
        progress.begin(1)
        told = []
        for page in (1, 2):
            progress.pages("/a.pdf", page, 2)
            told.append(progress.advance().done)
        progress.stage("/a.pdf", IngestStage.EMBEDDING)
        told.append(progress.advance().done)
        progress.done(DocumentReport(source="/a.pdf", status=DocumentStatus.ADDED))
        told.append(progress.advance().done)
        raise NoDocuments(str(told))

    job = ingests(halfway, a_recorder()).submit(request("a"))
    assert ends(job, PATIENCE)
    with pytest.raises(NoDocuments, match=r"\[0.25, 0.5, 0.5, 1\]"):
        job.result()


def test_the_oldest_results_are_left_to_the_record() -> None:
    def empty(_request: IngestRequest, _progress: Progress) -> IngestResult:
        raise NoDocuments("empty")

    jobs = ingests(empty, a_recorder())
    made = [jobs.submit(request(str(number))) for number in range(66)]
    for job in made:
        assert ends(job, PATIENCE)
    latest = jobs.submit(request("latest"))

    assert jobs.find(latest.id) is latest
    assert jobs.find(made[-1].id) is made[-1]
    assert jobs.own(made[0].id) is None
    with pytest.raises(NoDocuments, match="empty"):
        jobs.find(made[0].id).result()


def test_stopping_interrupts_the_job_and_starts_no_other(ingest: SlowIngest) -> None:
    jobs = ingests(ingest, a_recorder())
    running, waiting = jobs.submit(request("a")), jobs.submit(request("b"))
    assert ingest.half.wait(PATIENCE)

    assert jobs.stop(PATIENCE)

    with pytest.raises(Interrupted):
        running.result()
    with pytest.raises(Interrupted):
        waiting.result()
    assert ingest.ran == ["a"]


def test_a_job_that_cannot_be_interrupted_does_not_hold_up_the_end() -> None:
    go, started = threading.Event(), threading.Event()

    def stuck(_request: IngestRequest, _progress: Progress) -> IngestResult:
        started.set()
        go.wait(PATIENCE)
        raise NoDocuments("late")

    jobs = ingests(stuck, a_recorder())
    job = jobs.submit(request("a"))
    assert started.wait(PATIENCE)

    assert not jobs.stop(0.05)

    go.set()
    assert ends(job, PATIENCE)


def test_an_owner_has_so_many_jobs_at_once(ingest: SlowIngest) -> None:
    jobs = ingests(ingest, a_recorder(), most=1)
    first = jobs.submit(request("a"), owner="ada")
    assert jobs.submit(request("a"), owner="ada") is first
    with pytest.raises(TooManyJobs, match=r"quota\.jobs"):
        jobs.submit(request("b"), owner="ada")
    of_bob = jobs.submit(request("b"), owner="bob")
    ingest.go.set()
    assert ends(first, PATIENCE)
    assert ends(of_bob, PATIENCE)
    assert ends(jobs.submit(request("b"), owner="ada"), PATIENCE)
    assert jobs.stop(PATIENCE)


def test_the_ingest_of_a_command_is_in_the_record_while_it_runs() -> None:
    recorder, ingest, display = a_recorder(), SlowIngest(), SilentProgress()
    ended: list[IngestResult] = []

    def run() -> None:
        ended.append(run_recorded(request("papers"), ingest, display, recorder))

    thread = threading.Thread(target=run)
    thread.start()
    assert ingest.half.wait(PATIENCE)
    (job,) = recorder.jobs(JobFilter(project="local/p", going_on=True))
    assert job.progress.counts["documents_total"] == 2
    ingest.go.set()
    thread.join(PATIENCE)
    known = recorder.find(job.id)
    assert ended
    assert known is not None
    assert known.status is JobStatus.DONE
    assert recorder.record.result(job.id)
    # Nothing to ingest leaves no record; an error is the caller's.
    for source, error in (("empty", NoDocuments), ("broken", RuntimeError)):
        with pytest.raises(error):
            run_recorded(request(source), ingest, display, recorder)
    assert len(recorder.jobs(JobFilter())) == 1


def test_the_ingest_of_a_command_can_be_cancelled_elsewhere() -> None:
    recorder, ingest = a_recorder(), SlowIngest()
    cancelled: list[bool] = []

    def run() -> None:
        with pytest.raises(Cancelled) as caught:
            run_recorded(request("papers"), ingest, SilentProgress(), recorder)
        cancelled.append(caught.value.exit_code == 130)

    thread = threading.Thread(target=run)
    thread.start()
    assert ingest.half.wait(PATIENCE)
    (job,) = recorder.jobs(JobFilter(going_on=True))
    recorder.record.cancel(job.id)
    thread.join(PATIENCE)
    known = recorder.find(job.id)
    assert cancelled == [True]
    assert known is not None
    assert known.status is JobStatus.CANCELLED
