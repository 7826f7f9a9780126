"""A whole ingest on a cluster: the project is that of an ingest without one."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
from support.command_line import Done, environment, inside
from support.dask_cluster import cluster_of_processes, dask_cluster
from support.in_memory.watcher import InMemoryWatcher
from support.paths import LIBRARY
from support.pdf.written_pdf import Text, paragraph, write_pdf
from support.watches import PassingClock
from support.zotero.library import attachment, key, work, write_database

from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.watch.request import Outcome, WatchEvent, WatchRequest
from citeloom.domain.ingest import IngestRequest
from citeloom.domain.library import LibraryRef
from citeloom.domain.progress import Cancelled, cancellable
from citeloom.domain.projects.project import ProjectId
from citeloom.infrastructure import watch as file_watcher
from citeloom.infrastructure.composition.application import open_application
from citeloom.infrastructure.composition.workspace import Overrides
from citeloom.infrastructure.library.snapshot import RawLibrary
from citeloom.infrastructure.models.embedding.bundled_embedder import BundledEmbedder
from citeloom.infrastructure.storage.catalogue import SqlCatalogue
from citeloom_server.infrastructure.cluster import converter, tasks
from citeloom_server.infrastructure.cluster.connection import connected

pytestmark = pytest.mark.server

PAPERS = LIBRARY / "papers"


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    with dask_cluster() as cluster:
        yield cluster.scheduler_address


@pytest.fixture
def embedding_threads(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """How many texts were embedded in which thread; tasks run in those of Dask."""
    threads: dict[str, int] = {}
    embed = BundledEmbedder.embed

    def counting(self: BundledEmbedder, texts: Iterable[str]) -> Iterator[Sequence[float]]:
        some = list(texts)
        name = "worker" if "Dask" in threading.current_thread().name else "here"
        threads[name] = threads.get(name, 0) + len(some)
        return embed(self, some)

    monkeypatch.setattr(BundledEmbedder, "embed", counting)
    return threads


def ingest(workspace: Path, *arguments: str | Path, **settings: str) -> Done:
    names = {f"CITELOOM_{name.upper()}": value for name, value in settings.items()}
    done = inside("ingest", *arguments, "-p", "p", "--json", workspace=workspace, **names)
    assert done.code == 0, done.err
    return done


def content(workspace: Path) -> Mapping[str, Any]:
    """All passages with their places, and their vectors."""
    application = open_application(workspace)
    try:
        (project,) = application.stores.catalogue.projects()
        collection = application.stores.index.open(
            project.collection, dimension=project.embedding_model.dimension
        )
        found = {}
        with collection as opened:
            for document in application.stores.catalogue.documents(project.id):
                passages = list(opened.passages(document.document_id))
                vectors = opened.vectors([one.chunk.id for one in passages])
                found[document.document_id] = (
                    document.model_copy(update={"stored_at": None}),
                    [(one, list(vectors[one.chunk.id])) for one in passages],
                )
        return found
    finally:
        application.close()


def test_ids_texts_counts_and_vectors_are_those_of_the_pool(
    scheduler: str, tmp_path: Path, embedding_threads: dict[str, int]
) -> None:
    options = (PAPERS, "--references", LIBRARY / "library.csl.json")
    alone = ingest(tmp_path / "alone", *options).json
    assert set(embedding_threads) == {"here"}
    embedded = embedding_threads.pop("here")
    clustered = ingest(tmp_path / "clustered", *options, ingest__scheduler=scheduler).json
    assert clustered["chunks_total"] == alone["chunks_total"] > 0
    assert content(tmp_path / "clustered") == content(tmp_path / "alone")
    assert embedding_threads == {"worker": embedded}, "each text once, and none of them here"


def test_without_a_cache_of_vectors_they_are_made_here(
    scheduler: str, tmp_path: Path, embedding_threads: dict[str, int]
) -> None:
    paper = PAPERS / "pond-cooling.pdf"
    ingest(tmp_path, paper, ingest__scheduler=scheduler, embedding__vector_cache_mb="0")
    assert set(embedding_threads) == {"here"}


def test_a_zotero_library_is_converted_on_the_cluster(
    scheduler: str, tmp_path: Path, embedding_threads: dict[str, int]
) -> None:
    raw = [work(1, citationKey="weir2016"), attachment(1, key(1, "W"))]
    zotero = tmp_path / "Zotero"
    stored = zotero / "storage" / key(1, "F") / "paper 1.pdf"
    stored.parent.mkdir(parents=True)
    write_pdf(stored, [[Text(72, 730, "Sluices of the north"), *paragraph(20, 700, seed=0)]])
    write_database(zotero / "zotero.sqlite", [RawLibrary(LibraryRef(), raw, [])])
    arguments = ("--zotero", "--data-dir", zotero)
    done = ingest(tmp_path / "w", *arguments, ingest__scheduler=scheduler).json
    assert [one["citekey"] for one in done["documents"]] == ["weir2016"]
    assert set(embedding_threads) == {"worker"}


def command_of(process: psutil.Process) -> str:
    """Empty where it has ended meanwhile."""
    with suppress(psutil.NoSuchProcess):
        return " ".join(process.cmdline())
    return ""


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """More short papers than are under way on one worker."""
    folder = tmp_path_factory.mktemp("shelf")
    # Keys of papers of one name depend on which is stored first.
    for number, name in enumerate(("alder", "birch", "cedar", "elder", "maple", "willow")):
        lines = [Text(72, 730, f"{name} of the north"), *paragraph(9, 690, seed=number)]
        write_pdf(folder / f"{name}.pdf", [lines])
    return folder


@pytest.fixture(scope="module")
def undisturbed(shelf: Path, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    """What a project holds of the shelf."""
    workspace = tmp_path_factory.mktemp("undisturbed")
    ingest(workspace, shelf)
    return content(workspace)


def test_what_was_converted_by_a_run_that_was_killed_is_not_converted_again(
    scheduler: str, shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest(tmp_path / "killed", shelf, ingest__scheduler=scheduler)
    again = tmp_path / "again"
    assert inside("project", "create", "p", workspace=again).code == 0
    for name in ("bundles", "cache"):  # as workers leave them, before anything is stored
        shutil.move(tmp_path / "killed" / ".citeloom" / name, again / ".citeloom" / name)
    monkeypatch.setattr(tasks, "convert", None)
    done = ingest(again, shelf, ingest__scheduler="tcp://127.0.0.1:1").json
    assert [one["status"] for one in done["documents"]] == ["added"] * 6


def after_the_first_document(monkeypatch: pytest.MonkeyPatch, call: Callable[[], None]) -> None:
    """``call`` when one is stored, while others are under way."""
    put = SqlCatalogue.put_document

    def calling(self: SqlCatalogue, document: StoredDocument, *arguments: Any) -> None:
        put(self, document, *arguments)
        if document.embedding:
            call()

    monkeypatch.setattr(SqlCatalogue, "put_document", calling)


def goes_on(workspace: Path, shelf: Path, scheduler: str) -> list[str]:
    """The states of the documents after another run, which found nothing half-written."""
    bundles = workspace / ".citeloom" / "bundles"
    assert [path.name for path in bundles.rglob("*") if path.suffix == ".tmp"] == []
    done = ingest(workspace, shelf, ingest__scheduler=scheduler).json
    return sorted(one["status"] for one in done["documents"])


def test_a_scheduler_that_is_killed_is_told_and_the_next_run_goes_on(
    scheduler: str, shelf: Path, undisturbed: Mapping[str, Any], tmp_path: Path
) -> None:
    workspace = tmp_path / "w"
    with cluster_of_processes(tmp_path) as cluster, pytest.MonkeyPatch.context() as patched:
        after_the_first_document(patched, cluster.scheduler.kill)
        done = inside(
            "ingest", shelf, "-p", "p", workspace=workspace,
            CITELOOM_INGEST__SCHEDULER=cluster.address,
        )  # fmt: skip
    assert done.code == 4, done.err
    said = f"{cluster.address}: the Dask scheduler was lost; start it again and repeat the ingest"
    assert said in " ".join(done.err.split())
    assert "Traceback" not in done.err
    states = goes_on(workspace, shelf, scheduler)
    assert set(states) == {"added", "unchanged"}
    assert content(workspace) == undisturbed


def test_a_run_that_is_cancelled_keeps_what_is_finished_and_the_next_one_goes_on(
    scheduler: str, shelf: Path, undisturbed: Mapping[str, Any], tmp_path: Path
) -> None:
    stored = threading.Event()

    def check() -> None:
        if stored.is_set():
            raise Cancelled

    with pytest.MonkeyPatch.context() as patched:
        after_the_first_document(patched, stored.set)
        patched.setenv("CITELOOM_INGEST__SCHEDULER", scheduler)
        application = open_application(tmp_path)
        request = IngestRequest(project_id=ProjectId.parse("p"), sources=(str(shelf),))
        with cancellable(check), pytest.raises(Cancelled):
            application.ingest.files(request)
        application.close()
    states = goes_on(tmp_path, shelf, scheduler)
    assert set(states) == {"added", "unchanged"}
    assert content(tmp_path) == undisturbed


def test_a_watch_converts_on_a_cluster_of_one_worker_of_this_machine(
    shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed")
    began: list[int] = []

    def noting(scheduler: str, *, workers: int, gpu: bool) -> Any:
        began.append(workers)
        return connected(scheduler, workers=workers, gpu=gpu)

    clock = PassingClock()
    watcher = InMemoryWatcher(clock, until=100)
    paper = tmp_path / "papers" / "sluice.pdf"
    paper.parent.mkdir()
    watcher.at(10, lambda: [Path(shutil.copy(shelf / "alder.pdf", paper))])
    monkeypatch.setattr(converter, "connected", noting)
    monkeypatch.setattr(file_watcher, "FileWatcher", lambda _: watcher)
    monkeypatch.setenv("CITELOOM_INGEST__SCHEDULER", "local")
    monkeypatch.setenv("CITELOOM_INGEST__JOBS", "1")
    before = set(psutil.Process().children(recursive=True))
    told: list[WatchEvent] = []
    application = open_application(tmp_path / "w", overrides=Overrides(clock=clock))
    request = WatchRequest(project_id=ProjectId.parse("p"), sources=(str(paper.parent),))
    application.library.watch(request, None, told.append)
    application.close()
    assert [(one.outcome, one.what) for one in told if one.what == str(paper)] == [
        (Outcome.ADDED, str(paper))
    ]
    assert began == [1]
    left = set(psutil.Process().children(recursive=True)) - before
    assert [one for one in left if "spawn_main" in command_of(one) or converts(one)] == []


@pytest.mark.parametrize("address", ["http://host:8786", "tcp://host", "tcp://me@host:1", "dask"])
def test_a_scheduler_that_is_none_is_refused(tmp_path: Path, address: str) -> None:
    done = inside("config", workspace=tmp_path, CITELOOM_INGEST__SCHEDULER=address)
    assert done.code == 2
    assert "a Dask scheduler is written tcp://HOST:PORT" in " ".join(done.err.split())


def test_without_dask_the_error_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    done = inside(
        "ingest", PAPERS, "-p", "p", workspace=tmp_path, CITELOOM_INGEST__SCHEDULER="local"
    )
    assert done.code == 2
    assert 'run `pip install "citeloom[cluster]"`' in " ".join(done.err.split())


INTERRUPTIBLE = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # what starts the tests may ignore it
from citeloom.infrastructure.cli.app import main
main()
"""


def converts(process: psutil.Process) -> bool:
    return "conversion.worker" in command_of(process)


@pytest.mark.skipif(os.name != "posix", reason="POSIX signals")
def test_ctrl_c_ends_a_cluster_of_this_machine_and_all_its_processes(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTIBLE, "ingest", str(PAPERS), "-p", "p",
         "--workspace", str(tmp_path)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", start_new_session=True,
        env=environment(CITELOOM_INGEST__SCHEDULER="local", CITELOOM_INGEST__JOBS="1"),
    )  # fmt: skip
    family: set[psutil.Process] = set()
    until = time.monotonic() + 300
    while time.monotonic() < until and process.poll() is None:
        family.update(psutil.Process(process.pid).children(recursive=True))
        if any(map(converts, family)):
            break
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all of the group
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 130, out
    assert "Traceback" not in out
    assert not psutil.wait_procs(list(family), timeout=20)[1]
