"""The clients of docs/clients.md, run against a server, and ``citeloom serve --open``."""

import re
import shutil
import subprocess
import sys
import time
import webbrowser
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.command_line import environment
from support.once import copied
from support.paths import LIBRARY

from citeloom.infrastructure.cli import serve

PAGE = Path(__file__).parents[3] / "docs" / "clients.md"
NODE = shutil.which("node")
QUESTION = "how far does a pond cool the evening air"


def _code(language: str) -> str:
    (code,) = re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text("utf-8"), re.M | re.S)
    return str(code)


@pytest.fixture(scope="module")
def workspace(samples: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A workspace of its own, served, its page opened in a browser that writes its address down."""
    folder = tmp_path_factory.mktemp("clients") / "workspace"
    copied(samples, folder)
    browser, seen = folder / "browser", folder / "seen"
    browser.write_text(f'#!/bin/sh\necho "$1" > {seen}.part && mv {seen}.part {seen}\n')
    browser.chmod(0o755)
    command = [sys.executable, "-m", "citeloom", "serve", "--port", "0", "--open"]
    with subprocess.Popen(
        [*command, "--workspace", str(folder)],
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env={**environment(), "BROWSER": str(browser)},
    ) as server:
        try:
            assert server.stderr is not None
            line = server.stderr.readline()
            assert line.startswith("serving")
            (folder / "address").write_text(line.split()[1])
            yield folder
        finally:
            server.kill()


def _run(workspace: Path, *command: str) -> str:
    done = subprocess.run(
        command, cwd=workspace, capture_output=True, encoding="utf-8", timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_page_is_opened_in_the_browser_of_the_environment(workspace: Path) -> None:
    seen = workspace / "seen"
    for _ in range(400):
        if seen.exists():
            break
        time.sleep(0.05)
    assert seen.read_text().strip() == (workspace / "address").read_text()


def test_it_is_told_where_there_is_no_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webbrowser, "open", lambda _: False)
    told: list[str] = []
    serve._open("http://127.0.0.1:1", told.append)
    assert told == ["no browser was found; open http://127.0.0.1:1 in yours"]


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
