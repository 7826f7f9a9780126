"""Killed at any moment, an ingest is finished by running it again; several run at once."""

import json
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.command_line import environment, inside
from support.pdf.written_pdf import Text, write_pdf


def library(folder: Path, count: int, place: str = "Station") -> Path:
    """PDFs, whose converter begins at once: those of other formats import docling first."""
    folder.mkdir()
    for n in range(count):
        lines = [
            Text(72, 700 - 14 * row, f"{place} {n} measured a tide of {row} metres at noon.")
            for row in range(32)
        ]
        write_pdf(folder / f"note{n:02}.pdf", [[Text(72, 740, f"Note {n}", 18, True), *lines]])
    return folder


def state(workspace: Path) -> list[tuple[str, str]]:
    done = inside("inspect", "-p", "p", "--sample", "all", "--json", workspace=workspace)
    assert done.code == 0, done.err
    return sorted((s["document_id"], s["chunk_id"]) for s in done.json["samples"])


def start(folder: Path, workspace: Path) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "citeloom", "ingest", str(folder), "-p", "p", "--json",
         "--workspace", str(workspace)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment(),
    )  # fmt: skip


@pytest.mark.parametrize("kills", [1, pytest.param(3, marks=pytest.mark.faults)])
def test_after_kills_at_random_moments_the_result_is_that_of_an_undisturbed_run(
    tmp_path: Path, kills: int
) -> None:
    folder = library(tmp_path / "notes", 4)
    began = time.monotonic()
    assert start(folder, tmp_path / "calm").wait(timeout=600) == 0
    whole = time.monotonic() - began
    moments = random.Random(7)
    for part in range(kills):  # early, midway and late, each time at random
        process = start(folder, tmp_path / "rough")
        time.sleep((0.2 + 0.8 * (part + moments.random()) / kills) * whole)
        process.kill()
        process.wait()
    assert start(folder, tmp_path / "rough").wait(timeout=600) == 0
    assert state(tmp_path / "rough") == state(tmp_path / "calm")
    assert inside("validate", "-p", "p", workspace=tmp_path / "rough").code == 0


@pytest.mark.server
def test_two_ingests_and_queries_at_once_only_wait(tmp_path: Path) -> None:
    workspace = tmp_path / "w"
    first = library(tmp_path / "one", 3)
    second = library(tmp_path / "two", 3, "Harbour")
    assert inside("project", "create", "p", workspace=workspace).code == 0
    running = [start(first, workspace), start(second, workspace)]
    asked = 0
    while any(process.poll() is None for process in running):
        done = inside("query", "tide at noon", "-p", "p", "--json", workspace=workspace)
        assert done.code == 0, done.err
        asked += 1
        time.sleep(0.5)
    reports = [json.loads(process.communicate()[0]) for process in running]
    assert [process.returncode for process in running] == [0, 0]
    assert {d["status"] for r in reports for d in r["documents"]} == {"added"}
    assert asked >= 2
    assert len({document for document, _ in state(workspace)}) == 6
