"""A cluster keeps the pool's promises: a document costs itself alone, whatever its worker does."""

import hashlib
import os
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
from support.dask_cluster import cluster_with_gpu, dask_cluster
from support.in_memory.embedder import HashingEmbedder
from support.paths import WORKERS

from citeloom.application.ports.ingest import ConversionJob, ConversionOutcome, EmbeddingPlan
from citeloom.domain.errors import (
    ConversionFailed,
    ConversionTimeout,
    DocumentTooLarge,
    PasswordNeeded,
    SourceChanged,
    Unavailable,
)
from citeloom.domain.progress import Cancelled, cancellable
from citeloom.infrastructure.ingest.conversion.pool import ProcessConverter
from citeloom.infrastructure.ingest.conversion.protocol import Limits, Options
from citeloom.infrastructure.models.vectors import VectorCache
from citeloom_server.infrastructure.cluster import connection, tasks
from citeloom_server.infrastructure.cluster import converter as module
from citeloom_server.infrastructure.cluster import run as sent_content
from citeloom_server.infrastructure.cluster.converter import ClusterConverter
from citeloom_server.infrastructure.cluster.requests import (
    EmbedderSettings,
    identity_of_this_process,
)

pytestmark = pytest.mark.server

FUNCTION = "misbehaving_converter:convert"
Convert = Callable[..., Iterator[ConversionOutcome]]


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(WORKERS))


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """One worker, in a thread of this process."""
    with dask_cluster() as cluster:
        yield cluster


def make(scheduler: str, bundles: Path | None = None, **settings: Any) -> ClusterConverter:
    pool = ProcessConverter(**{"function": FUNCTION, **settings})
    return ClusterConverter(pool, scheduler, embedder=EmbedderSettings(), bundles=bundles)


def files(folder: Path, *names: str, password: str | None = None) -> list[ConversionJob]:
    jobs = []
    for name in names:
        (folder / name).write_text(name)
        digest = hashlib.sha256(name.encode()).hexdigest()
        jobs.append(ConversionJob(source=folder / name, document_id=digest, password=password))
    return jobs


def by_name(outcomes: Iterator[ConversionOutcome]) -> dict[str, ConversionOutcome]:
    return {outcome.job.source.name: outcome for outcome in outcomes}


def conversions() -> set[int]:
    return {
        child.pid
        for child in psutil.Process().children(recursive=True)
        if FUNCTION in arguments(child)
    }


def arguments(process: psutil.Process) -> list[str]:
    """None of a process that has ended meanwhile."""
    with suppress(psutil.NoSuchProcess):  # a zombie is one too
        return process.cmdline()
    return []


def ended(before: set[int]) -> bool:
    """Whether the conversions begun since then are gone; a worker looks twice a second."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if not conversions() - before:
            return True
        time.sleep(0.1)
    return False


def test_crashes_hangs_and_exceptions_cost_one_document(cluster: Any, tmp_path: Path) -> None:
    converter = make(cluster.scheduler_address, limits=Limits(document=2.0))
    jobs = files(tmp_path, "a.pdf", "segfault.pdf", "hang.pdf", "raise.pdf", "password.pdf", "b")
    found = by_name(converter.convert(jobs))
    assert isinstance(found["segfault.pdf"].error, ConversionFailed)
    assert "crashed on it twice" in str(found["segfault.pdf"].error)
    assert isinstance(found["hang.pdf"].error, ConversionTimeout)
    assert found["raise.pdf"].error.details == {"exception": "ValueError", "reason": "cannot do it"}
    assert isinstance(found["password.pdf"].error, PasswordNeeded)
    assert found["a.pdf"].result
    assert found["b"].result


@pytest.mark.skipif(os.name != "posix", reason="limits of memory")
def test_the_memory_limit_holds_on_the_worker(cluster: Any, tmp_path: Path) -> None:
    converter = make(cluster.scheduler_address, options=Options(memory_mb=400))
    found = by_name(converter.convert(files(tmp_path, "greedy.pdf", "b.pdf")))
    assert isinstance(found["greedy.pdf"].error, DocumentTooLarge)
    assert found["b.pdf"].result


def test_the_password_reaches_the_conversion(cluster: Any, tmp_path: Path) -> None:
    jobs = files(tmp_path, "password.pdf", password="secret")
    (outcome,) = make(cluster.scheduler_address).convert(jobs)
    assert outcome.result is not None


def test_passwords_texts_and_content_are_in_no_log_of_a_worker(tmp_path: Path) -> None:
    from pydantic import SecretStr

    from citeloom_server.infrastructure.cluster.requests import RemoteConversion, RemoteEmbedding

    hidden = dict.fromkeys(("settings", "model"), None)
    conversion = RemoteConversion.model_construct(
        **hidden, key="k", document_id="d", source="s", password=SecretStr("hush"), content=b"hush"
    )
    embedding = RemoteEmbedding.model_construct(**hidden, key="k", texts=("hush",))
    assert "hush" not in repr(conversion) + repr(embedding)


def test_a_process_stays_for_the_next_document(cluster: Any, tmp_path: Path) -> None:
    found = by_name(make(cluster.scheduler_address).convert(files(tmp_path, "1", "2", "3")))
    assert len({one.result and one.result.plain_text for one in found.values()}) == 1


def test_a_cancellation_ends_the_wait_and_the_conversion(cluster: Any, tmp_path: Path) -> None:
    before = conversions()

    def check() -> None:
        if conversions() - before:
            raise Cancelled

    converter = make(cluster.scheduler_address, limits=Limits(document=302.0))
    with cancellable(check), pytest.raises(Cancelled):
        list(converter.convert(files(tmp_path, "hang.pdf")))
    assert ended(before)


def test_no_more_documents_are_in_flight_than_the_workers_need(
    cluster: Any, tmp_path: Path
) -> None:
    taken: list[str] = []

    def jobs() -> Iterator[ConversionJob]:
        for job in files(tmp_path, *(f"{number}.pdf" for number in range(10))):
            taken.append(job.document_id)
            yield job

    with closing(make(cluster.scheduler_address).convert(jobs())) as run:
        next(run)
        assert len(taken) <= 3


def test_no_jobs_need_no_cluster() -> None:
    assert list(make("tcp://127.0.0.1:1").convert([])) == []


def test_pages_are_heard(cluster: Any, tmp_path: Path) -> None:
    heard: list[tuple[int, int]] = []
    run = make(cluster.scheduler_address).convert(
        files(tmp_path, "long.pdf"), lambda job, *at: heard.append(at)
    )
    assert [one.error for one in run] == [None]
    assert heard[0] == (1, 9)
    assert len(heard) >= 2


def test_a_file_is_sent_where_workers_do_not_see_its_path(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "_is_readable", lambda path: False)
    sent: list[str] = []
    content_to_send = sent_content.content_to_send

    def noting(job: ConversionJob, memory_mb: int) -> bytes:
        sent.append(job.source.name)
        return content_to_send(job, memory_mb)

    monkeypatch.setattr("citeloom_server.infrastructure.cluster.run.content_to_send", noting)
    changed, missing, *jobs = files(tmp_path, "changed.pdf", "missing.pdf", "a.pdf", "b.pdf", "c")
    changed.source.write_text("another content")
    missing.source.unlink()
    found = by_name(make(cluster.scheduler_address).convert([changed, missing, *jobs]))
    assert isinstance(found["changed.pdf"].error, SourceChanged)
    assert str(found["missing.pdf"].error).startswith("missing.pdf: cannot be read")
    assert all(found[name].result for name in ("a.pdf", "b.pdf", "c"))
    assert sent == ["changed.pdf", "missing.pdf", "a.pdf", "b.pdf", "c"], "each is asked for once"


def test_a_file_that_is_too_large_to_be_sent_says_where_to_put_it(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "_is_readable", lambda path: False)
    monkeypatch.setattr(sent_content, "MOST_SENT", 4)
    (outcome,) = make(cluster.scheduler_address).convert(files(tmp_path, "large.pdf"))
    assert isinstance(outcome.error, DocumentTooLarge)
    assert "put larger ones on a path that workers see" in str(outcome.error)


@pytest.mark.parametrize("seen", [True, False])
def test_results_go_to_the_shared_bundles_or_over_the_wire(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seen: bool
) -> None:
    if not seen:
        (tmp_path / "elsewhere").mkdir()
        is_seen = tasks._is_seen
        monkeypatch.setattr(
            tasks,
            "_is_seen",
            lambda s: is_seen(s.model_copy(update={"folder": tmp_path / "elsewhere"})),
        )
    bundles = tmp_path / "bundles"
    (job,) = files(tmp_path, "a.pdf")
    (outcome,) = make(cluster.scheduler_address, bundles).convert([job])
    assert outcome.result is not None
    assert outcome.result.doc_id == job.document_id
    assert outcome.result.converter == make("").fingerprint
    names = [path.name for path in bundles.rglob("*") if path.is_file()]
    assert names == ([f"{job.document_id}.json.gz"] if seen else []), "no marker is left"


def test_a_bundle_that_is_not_seen_here_is_sent_instead(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "citeloom.infrastructure.ingest.bundles.FileBundleStore.load",
        lambda self, document_id: None,
    )
    found = by_name(
        make(cluster.scheduler_address, tmp_path / "bundles").convert(files(tmp_path, "a", "b"))
    )
    assert all(one.result for one in found.values())


def other_version(function: str, options: Options) -> Any:
    identity = identity_of_this_process(function, options)
    return identity.model_copy(update={"converter": f"{identity.converter}0"})


def test_a_worker_of_another_version_is_refused(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "identity_of_this_process", other_version)
    with pytest.raises(Unavailable, match=r"the worker tcp://.* has the converter .*rules=\d+, "):
        list(make(cluster.scheduler_address).convert(files(tmp_path, "a.pdf")))


def test_a_worker_of_another_version_that_comes_later_is_refused(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "identity_of_this_process", other_version)
    with pytest.raises(Unavailable, match="install the same version of CiteLoom on both"):
        list(make(cluster.scheduler_address).convert(files(tmp_path, "a.pdf")))


def test_no_scheduler_is_said_with_the_next_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(connection, "CONNECT_SECONDS", 0.5)
    with pytest.raises(Unavailable, match=r"tcp://127.0.0.1:1: no Dask scheduler answers"):
        list(make("tcp://127.0.0.1:1").convert(files(tmp_path, "a.pdf")))


def test_a_scheduler_without_workers_is_said_with_the_next_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "WORKER_SECONDS", 0.5)
    with (
        dask_cluster(workers=0) as cluster,
        pytest.raises(Unavailable, match=r"no worker for 0.5 s; start one with `dask worker tcp:"),
    ):
        list(make(cluster.scheduler_address).convert(files(tmp_path, "a.pdf")))


def gpu_run(scheduler: str, folder: Path) -> list[ConversionOutcome]:
    """Convert and embed with a model that is to run on a GPU."""
    plan = EmbeddingPlan(model=HashingEmbedder().model, sentences=False)
    jobs = [job.model_copy(update={"embedding": plan}) for job in files(folder, "a", "b", "c", "d")]
    converter = ClusterConverter(
        ProcessConverter(function=FUNCTION),
        scheduler,
        embedder=EmbedderSettings(device="cuda", gpu=True),
        vectors=VectorCache(folder / "vectors.sqlite", max_bytes=2**20),
    )
    return list(converter.convert(jobs))


def test_workers_with_a_gpu_embed_where_the_device_is_cuda(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    used: list[tuple[str, bool]] = []

    def noting(model: Any, settings: EmbedderSettings) -> HashingEmbedder:
        from distributed import get_worker

        used.append((str(get_worker().name), settings.gpu))
        return HashingEmbedder()

    monkeypatch.setattr(tasks, "_embedder", noting)
    with cluster_with_gpu() as cluster:
        outcomes = gpu_run(cluster.scheduler_address, tmp_path)
    assert all(one.result for one in outcomes)
    assert {name for name, gpu in used if gpu} == {"gpu"}, "embedding"
    assert sum(not gpu for _, gpu in used) == 4, "cutting needs none"


def test_a_cluster_without_a_gpu_is_said_where_the_device_is_cuda(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "WORKER_SECONDS", 0.5)
    with pytest.raises(Unavailable, match=r"no worker with the resource GPU .* and GPU=1 as"):
        gpu_run(cluster.scheduler_address, tmp_path)


def test_a_lost_scheduler_ends_the_run_and_says_so(tmp_path: Path) -> None:
    with dask_cluster() as cluster:
        run = make(cluster.scheduler_address).convert(files(tmp_path, "a.pdf", "slow.pdf", "hang"))
        next(run)
        cluster.close()
        with pytest.raises(Unavailable, match="the Dask scheduler was lost; start it again"):
            list(run)


@pytest.mark.skipif(os.name != "posix", reason="POSIX signals")
def test_a_document_that_kills_three_workers_fails_and_the_others_are_converted(
    tmp_path: Path,
) -> None:
    names = ("a.pdf", "deadly.pdf", "b.pdf", "slow-1.pdf", "slow-2.pdf", "c.pdf")
    with dask_cluster(processes=True) as cluster:
        found = by_name(make(cluster.scheduler_address).convert(files(tmp_path, *names)))
    error = found["deadly.pdf"].error
    assert isinstance(error, ConversionFailed)
    assert str(error).startswith("deadly.pdf: 3 workers died while it was converted (the last one")
    assert all(one.result for name, one in found.items() if name != "deadly.pdf")
    assert set(found) == set(names)
