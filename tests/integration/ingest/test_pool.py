"""The pool keeps its promise: whatever a document does, it costs that document only."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from functools import cache
from pathlib import Path
from typing import Any

import psutil
import pytest
from support.paths import WORKERS

from citeloom.application.ports.ingest import ConversionJob, ConversionOutcome
from citeloom.domain.errors import (
    ConfigurationError,
    ConversionFailed,
    ConversionTimeout,
    DocumentTooLarge,
    PasswordNeeded,
    Unavailable,
)
from citeloom.domain.progress import Cancelled, cancellable
from citeloom.infrastructure.ingest.conversion import pool
from citeloom.infrastructure.ingest.conversion.pool import ProcessConverter
from citeloom.infrastructure.ingest.conversion.protocol import Limits, Options

posix_only = pytest.mark.skipif(os.name != "posix", reason="POSIX signals")


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(WORKERS))


def make(**settings: Any) -> ProcessConverter:
    return ProcessConverter(**{"function": "misbehaving_converter:convert", **settings})


def jobs(*names: str, folder: Path = Path("/nowhere")) -> list[ConversionJob]:
    return [ConversionJob(source=folder / name, document_id=name) for name in names]


def by_name(outcomes: Iterator[ConversionOutcome]) -> dict[str, ConversionOutcome]:
    return {outcome.job.source.name: outcome for outcome in outcomes}


def children() -> list[psutil.Process]:
    return [
        child
        for child in psutil.Process().children(recursive=True)
        if "citeloom.infrastructure.ingest.conversion.worker" in child.cmdline()
    ]


def oom_scores() -> list[int]:
    return [int(Path(f"/proc/{child.pid}/oom_score_adj").read_text()) for child in children()]


def pid_of(outcome: ConversionOutcome) -> str:
    assert outcome.result is not None, outcome.error
    return outcome.result.plain_text


def test_importing_the_pool_does_not_import_docling() -> None:
    code = (
        "import sys; import citeloom.infrastructure.ingest.conversion.pool as pool;"
        "pool.ProcessConverter().fingerprint;"
        "print(*{'docling', 'docling_core', 'lxml', 'bs4', 'numpy'} & set(sys.modules))"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    assert done.stdout.split() == []


@posix_only
def test_a_crash_costs_one_document_and_says_how_it_died() -> None:
    found = by_name(make(jobs=2).convert(jobs("a.pdf", "segfault.pdf", "b.pdf", "exit.pdf", "c")))
    assert [name for name, one in found.items() if one.result is None and one.error] == [
        name for name in found if name in ("segfault.pdf", "exit.pdf")
    ]
    error = found["segfault.pdf"].error
    assert isinstance(error, ConversionFailed)
    assert "SIGSEGV" in str(error)
    assert str(error).startswith("segfault.pdf: the converter crashed")
    assert "last words" in error.details["stderr"]
    assert "exit status 3" in str(found["exit.pdf"].error)
    assert all(found[name].result for name in ("a.pdf", "b.pdf", "c"))


linux_only = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc")


@linux_only
def test_a_document_that_eats_all_memory_costs_itself_only() -> None:
    converter = make(options=Options(memory_mb=400))
    found = by_name(converter.convert(jobs("a.pdf", "greedy.pdf", "starved.pdf", "b.pdf")))
    error = found["greedy.pdf"].error
    assert isinstance(error, DocumentTooLarge)
    assert str(error).startswith("greedy.pdf: needs more than 400 MB of memory; split it")
    assert (found["greedy.pdf"].peak_rss_bytes or 0) < 400 * 2**20
    error = found["starved.pdf"].error
    assert isinstance(error, ConversionFailed)
    assert "SIGKILL, most likely out of memory" in str(error)
    assert found["a.pdf"].result
    assert found["b.pdf"].result


@posix_only
def test_a_worker_that_aborts_without_a_word_ran_out_of_memory(tmp_path: Path) -> None:
    found = by_name(make().convert(jobs("aborted.pdf", "complains.pdf", folder=tmp_path)))
    assert isinstance(found["aborted.pdf"].error, DocumentTooLarge)
    error = found["complains.pdf"].error
    assert isinstance(error, ConversionFailed)
    assert "crashed on it twice (SIGABRT)" in str(error)


@linux_only
def test_a_worker_that_keeps_its_memory_is_replaced() -> None:
    found = by_name(make(options=Options(memory_mb=500)).convert(jobs("keeps.pdf", "b.pdf")))
    assert pid_of(found["keeps.pdf"]) != pid_of(found["b.pdf"])


@linux_only
def test_the_kernel_takes_a_worker_first_where_memory_runs_out() -> None:
    with closing(make(jobs=2).convert(jobs("a.pdf", "hang.pdf"))) as run:
        next(run)
        until = time.monotonic() + 20
        while (scores := oom_scores()) != [1000, 1000] and time.monotonic() < until:
            time.sleep(0.05)  # a worker sets it once it runs
        assert scores == [1000, 1000]


@posix_only
def test_a_hang_that_lets_no_thread_run_is_killed_at_the_limit() -> None:
    limits = Limits(document=1.0)
    found = by_name(make(limits=limits).convert(jobs("frozen.pdf", "b.pdf")))
    assert isinstance(found["frozen.pdf"].error, ConversionTimeout)
    assert found["b.pdf"].result


def test_a_job_whose_worker_died_is_tried_once_more(tmp_path: Path) -> None:
    found = by_name(make().convert(jobs("once.pdf", folder=tmp_path)))
    assert found["once.pdf"].result is not None


def test_a_hang_is_killed_at_the_limit_and_the_rest_goes_on() -> None:
    found = by_name(make(limits=Limits(document=1.0)).convert(jobs("a.pdf", "hang.pdf", "b.pdf")))
    assert isinstance(found["hang.pdf"].error, ConversionTimeout)
    assert "hang.pdf: not converted after 1 s" in str(found["hang.pdf"].error)
    assert found["hang.pdf"].seconds >= 1.0
    assert found["a.pdf"].result
    assert found["b.pdf"].result


def test_exceptions_cost_one_document_and_keep_the_worker() -> None:
    found = by_name(make().convert(jobs("a.pdf", "raise.pdf", "memory.pdf", "password.pdf", "b")))
    assert str(found["raise.pdf"].error).startswith(
        "raise.pdf: cannot be converted (a part of it is missing or damaged);"
    )
    assert found["raise.pdf"].error.details == {"exception": "ValueError", "reason": "cannot do it"}
    assert isinstance(found["memory.pdf"].error, DocumentTooLarge)
    assert isinstance(found["password.pdf"].error, PasswordNeeded)
    assert found["password.pdf"].error.details == {"page": 1}
    assert pid_of(found["a.pdf"]) == pid_of(found["b"])


def test_the_password_reaches_the_worker_but_not_its_command_line() -> None:
    job = ConversionJob(source=Path("password.pdf"), document_id="x", password="secret")
    run = make().convert([job, *jobs("slow.pdf")])
    assert next(run).result is not None
    assert all("secret" not in " ".join(child.cmdline()) for child in children())
    run.close()


def test_workers_are_replaced_after_some_documents() -> None:
    found = by_name(make(recycle_after=2).convert(jobs("1", "2", "3", "4", "5")))
    pids = [pid_of(found[name]) for name in "12345"]
    assert pids[0] == pids[1] != pids[2] == pids[3] != pids[4]


def test_jobs_are_read_only_as_far_ahead_as_there_are_workers() -> None:
    taken: list[str] = []

    def source() -> Iterator[ConversionJob]:
        for job in jobs(*(f"{number}.pdf" for number in range(10))):
            taken.append(job.document_id)
            yield job

    run = make(jobs=2).convert(source())
    next(run)
    assert len(taken) <= 3
    run.close()


def test_closing_ends_all_workers() -> None:
    run = make(jobs=2).convert(jobs("a.pdf", "hang-1.pdf", "hang-2.pdf"))
    next(run)
    assert children()
    run.close()
    assert not children()


def test_no_worker_is_left_after_the_last_outcome() -> None:
    list(make(jobs=2).convert(jobs("a.pdf", "b.pdf", "c.pdf")))
    assert not children()


def test_no_jobs_start_no_worker() -> None:
    assert list(make().convert([])) == []


def test_what_a_library_prints_reaches_neither_stream(capfd: pytest.CaptureFixture[str]) -> None:
    found = by_name(make().convert(jobs("noise.pdf")))
    assert found["noise.pdf"].result is not None
    assert capfd.readouterr() == ("", "")


def test_a_function_that_cannot_be_loaded_ends_the_run() -> None:
    with pytest.raises(Unavailable, match="no_such_module"):
        list(make(function="no_such_module:convert").convert(jobs("a.pdf")))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the mark is reset on Linux only")
def test_peak_memory_is_that_of_the_document() -> None:
    found = by_name(make().convert(jobs("a.pdf", "big.pdf", "b.pdf")))
    peaks = {name: one.peak_rss_bytes or 0 for name, one in found.items()}
    assert peaks["big.pdf"] > peaks["a.pdf"] + 150_000_000
    assert peaks["b.pdf"] < peaks["big.pdf"] - 150_000_000


@pytest.mark.parametrize("wrong", [{"jobs": 0}, {"recycle_after": 0}])
def test_settings_that_mean_nothing_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match="must be positive"):
        make(**wrong)


PARENT = """
import signal
import sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # what starts us may ignore it
from pathlib import Path
from citeloom.application.ports.ingest import ConversionJob
from citeloom.infrastructure.ingest.conversion import pool
from citeloom.infrastructure.ingest.conversion.protocol import Limits
from citeloom.infrastructure.ingest.conversion.protocol import Options
from citeloom.infrastructure.ingest.conversion.pool import ProcessConverter
run = ProcessConverter(
    function="misbehaving_converter:convert", jobs=2, limits=Limits(document=float(sys.argv[1]))
).convert([ConversionJob(source=Path(n), document_id=n) for n in ("a", *sys.argv[2:])])
print("converted", next(run).result.plain_text, flush=True)
next(run)
"""


def start_parent(limit: float = 300.0, *names: str) -> "subprocess.Popen[str]":
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(WORKERS), *sys.path])}
    return subprocess.Popen(
        [sys.executable, "-c", PARENT, str(limit), *(names or ("hang-1", "hang-2"))],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )


@posix_only
def test_workers_end_when_their_parent_is_killed() -> None:
    parent = start_parent()
    assert parent.stdout is not None
    assert parent.stderr is not None
    assert parent.stdout.readline().startswith("converted")
    workers = psutil.Process(parent.pid).children(recursive=True)
    assert workers
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    _, alive = psutil.wait_procs(workers, timeout=5)
    parent.stdout.close()
    parent.stderr.close()
    assert not alive


@posix_only
def test_a_frozen_worker_ends_itself_when_its_parent_is_gone() -> None:
    """It takes the limit and the grace (here a second): nothing else of it runs."""
    parent = start_parent(2.0, "forsaken")
    assert parent.stdout is not None
    assert parent.stderr is not None
    assert parent.stdout.readline().startswith("converted")
    time.sleep(0.5)
    workers = psutil.Process(parent.pid).children(recursive=True)
    assert workers
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    _, alive = psutil.wait_procs(workers, timeout=30)
    parent.stdout.close()
    parent.stderr.close()
    assert not alive


@posix_only
def test_ctrl_c_gives_one_traceback_and_leaves_nothing_behind() -> None:
    parent = start_parent()
    assert parent.stdout is not None
    assert parent.stdout.readline().startswith("converted")
    workers = psutil.Process(parent.pid).children(recursive=True)
    parent.send_signal(signal.SIGINT)
    for worker in workers:
        with suppress(psutil.NoSuchProcess):  # its parent may have been quicker
            worker.send_signal(signal.SIGINT)
    _, errors = parent.communicate(timeout=30)
    assert errors.count("KeyboardInterrupt") == 1
    _, alive = psutil.wait_procs(workers, timeout=5)
    assert not alive


def test_a_hang_names_the_page_and_costs_what_a_page_may_take() -> None:
    limits = Limits(document=60.0, stall=1.0)
    found = by_name(make(limits=limits).convert(jobs("stuck.pdf", "a.pdf")))
    error = found["stuck.pdf"].error
    assert isinstance(error, ConversionTimeout)
    assert str(error).startswith("stuck.pdf: stuck after page 3 of 9: nothing for 1 s")
    assert error.details["page"] == 3
    assert found["a.pdf"].result is not None


def test_the_limit_grows_with_the_pages() -> None:
    short = Limits(document=0.5, page=0.0)
    assert by_name(make(limits=short).convert(jobs("long.pdf")))["long.pdf"].error is not None
    grown = Limits(document=0.5, page=2.0)
    assert by_name(make(limits=grown).convert(jobs("long.pdf")))["long.pdf"].result is not None


def test_progress_is_heard_page_by_page() -> None:
    heard: list[tuple[str, int, int]] = []
    run = make().convert(jobs("long.pdf"), lambda job, *at: heard.append((job.source.name, *at)))
    assert [one.error for one in run] == [None]
    assert heard[0] == ("long.pdf", 1, 9)
    assert [done for _, done, _ in heard] == sorted({done for _, done, _ in heard})
    assert len(heard) >= 4


def test_what_ocr_could_do_better_now_is_not_current(monkeypatch: pytest.MonkeyPatch) -> None:
    converter = make()
    base = converter.fingerprint
    converter.__dict__["_ocr"] = "tesseract-5:eng"
    assert converter.is_current(base)
    assert converter.is_current(f"{base} ocr=tesseract-5:eng")
    assert not converter.is_current(f"{base} ocr=none")
    assert not converter.is_current(f"{base} ocr=tesseract-5:deu")
    assert not converter.is_current("another")
    converter.__dict__["_ocr"] = "none"
    assert converter.is_current(f"{base} ocr=tesseract-5:eng"), "what was read stays"
    assert converter.is_current(f"{base} ocr=none")


def test_what_it_is_made_of_is_looked_up_once_for_many_documents(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(pool, "version", lambda name: asked.append(name) or "1")
    monkeypatch.setattr(pool, "distribution_version", cache(pool.distribution_version.__wrapped__))
    converter = make()
    assert all(converter.is_current(converter.fingerprint) for _ in range(3))
    assert asked == ["docling-slim", "pypdfium2"]


def test_a_cancellation_ends_all_workers_in_the_middle_of_a_document() -> None:
    given_up = False

    def check() -> None:
        if given_up:
            raise Cancelled

    with cancellable(check):
        outcomes = make(jobs=2).convert(jobs("ok", "hang", "hang"))
        assert next(outcomes).result is not None
        given_up = True
        with pytest.raises(Cancelled):
            next(outcomes)

    assert children() == []
