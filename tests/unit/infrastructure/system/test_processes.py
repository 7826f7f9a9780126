"""Calls on processes where a system lacks them: Windows and macOS, faked."""

import builtins
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from support.cases import each
from support.paths import ROOT
from support.source_trees import SRC

from citeloom.infrastructure.http.uploads import file_name
from citeloom.infrastructure.system import files, locks, processes

POSIX_ONLY = {"fcntl", "resource", "termios", "tty", "pwd", "grp"}


@pytest.fixture
def without_posix(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system without the modules of POSIX and without ``/proc``."""
    found: Callable[..., Any] = builtins.__import__

    def missing(name: str, *rest: Any) -> Any:
        if name in POSIX_ONLY:
            raise ModuleNotFoundError(f"No module named {name!r}")
        return found(name, *rest)

    def unreadable(path: Path, *_: object, **__: object) -> str:
        raise FileNotFoundError(path)

    monkeypatch.setattr(builtins, "__import__", missing)
    monkeypatch.setattr(Path, "read_text", unreadable)
    monkeypatch.setattr(Path, "write_text", unreadable)
    monkeypatch.setattr(sys, "platform", "win32")


def test_limits_and_measures_are_left_out_where_the_system_has_none(without_posix: None) -> None:
    processes.end_with_input()
    processes.limit_memory(1)
    processes.limit_address_space(1)
    processes.prefer_as_oom_victim()
    processes.reset_peak()
    assert (processes.resident(), processes.peak_resident()) == (None, None)
    assert processes.processor_time(os.getpid()) is None


def test_no_process_is_sent_a_signal_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """There, signal 0 is Ctrl-C to a whole group of processes."""

    def sent(pid: int, number: int) -> None:
        pytest.fail(f"signal {number} to {pid}")

    monkeypatch.setattr(processes, "os", SimpleNamespace(name="nt", kill=sent))
    monkeypatch.setattr(locks, "os", SimpleNamespace(name="nt", getpid=os.getpid))
    assert processes.process_runs(4_000_000)
    assert not processes.process_runs(0)
    assert not locks.has_ended(f"{locks._machine()}:4000000:0")


def test_only_the_age_of_a_leftover_counts_on_windows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "leftover"
    path.touch()
    monkeypatch.setattr(files, "process_runs", lambda pid: pytest.fail(f"asked for {pid}"))
    monkeypatch.setattr(files, "os", SimpleNamespace(name="nt"))
    assert not files._dead(path, files._host(), "1")
    os.utime(path, (1, 1))
    assert files._dead(path, files._host(), "1")


def test_modules_of_one_system_are_imported_in_the_system_package_only() -> None:
    own = SRC / "infrastructure/system"
    importing = {
        path.relative_to(ROOT).as_posix()
        for folder in (SRC, ROOT / "packages")
        for path in folder.rglob("citeloom*/**/*.py" if folder != SRC else "*.py")
        if not path.is_relative_to(own)
        for line in path.read_text("utf-8").splitlines()
        if (words := line.split())[:1] in (["import"], ["from"])
        and words[1].partition(".")[0] in {*POSIX_ONLY, "msvcrt", "winreg"}
    }
    assert importing == set()


@each(
    "name, taken",
    [
        ("NUL", "_NUL"),
        ("com1.pdf", "_com1.pdf"),
        ("aux .pdf", "_aux .pdf"),
        ("auxiliary.pdf", "auxiliary.pdf"),
        ("com10.pdf", "com10.pdf"),
        ("smith2018.pdf", "smith2018.pdf"),
    ],
)
def test_no_name_is_that_of_a_device_of_windows(name: str, taken: str) -> None:
    assert files.not_a_device(name) == taken
    if "." in name:
        assert file_name(f"C:\\papers\\{name}") == taken


def test_the_matrix_runs_the_steps_of_make_test_on_three_systems() -> None:
    matrix = yaml.safe_load((ROOT / "config/ci/matrix.yml").read_text("utf-8"))
    job = matrix["jobs"]["test"]
    assert job["strategy"]["matrix"] == {
        "os": ["ubuntu-latest", "macos-latest", "windows-latest"],
        "python": ["3.11", "3.13"],
    }
    whole, steps = (step["run"] for step in job["steps"][-2:])
    assert whole.startswith("make test")
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for command in ("ruff check .", "ruff format --check .", "lint-imports", "-m pytest"):
        assert command in steps
        assert command in makefile
    options = makefile.partition("--dist")[2].splitlines()[0]
    assert f"--dist{options}" in steps
