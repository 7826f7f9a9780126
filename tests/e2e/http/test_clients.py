"""The clients of docs/clients.md, run against a server."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.command_line import environment
from support.paths import LIBRARY

PAGE = Path(__file__).parents[3] / "docs" / "clients.md"
NODE = shutil.which("node")
QUESTION = "how far does a pond cool the evening air"


def _code(language: str) -> str:
    (code,) = re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text("utf-8"), re.M | re.S)
    return str(code)


@pytest.fixture(scope="module")
def workspace(samples: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A workspace of its own, served."""
    folder = tmp_path_factory.mktemp("clients") / "workspace"
    shutil.copytree(samples, folder)
    command = [sys.executable, "-m", "citeloom", "serve", "--port", "0"]
    with subprocess.Popen(
        [*command, "--workspace", str(folder)],
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=environment(),
    ) as server:
        try:
            assert server.stderr is not None
            assert server.stderr.readline().startswith("serving")
            yield folder
        finally:
            server.kill()


def _run(workspace: Path, *command: str) -> str:
    done = subprocess.run(
        command, cwd=workspace, capture_output=True, encoding="utf-8", timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_python_client_quotes_passages_with_their_citations(workspace: Path) -> None:
    (workspace / "client.py").write_text(_code("python"), "utf-8")
    told = _run(workspace, sys.executable, "client.py", "samples", QUESTION)
    assert told.count("“") >= 3
    assert "[@szelkutiEveningCoolingSmall2022, p. 1]" in told


def test_the_python_client_adds_a_paper_and_follows_its_ingest(workspace: Path) -> None:
    (workspace / "client.py").write_text(_code("python"), "utf-8")
    paper = str(LIBRARY / "papers" / "pond-cooling.pdf")
    told = _run(workspace, sys.executable, "client.py", "more", "--add", paper)
    assert "event: done" in told


@pytest.mark.skipif(NODE is None, reason="no Node is installed")
def test_the_javascript_client_follows_a_review_and_prints_its_report(workspace: Path) -> None:
    (workspace / "client.mjs").write_text(_code("js"), "utf-8")
    told = _run(workspace, NODE or "", "client.mjs", "samples", QUESTION)
    assert told.startswith(f"# {QUESTION}")
    assert "[@szelkutiEveningCoolingSmall2022, p. " in told
