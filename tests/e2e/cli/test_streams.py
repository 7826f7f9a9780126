"""Standard streams that are closed, full or cut short."""

import subprocess
import sys
from pathlib import Path

import pytest
from support.command_line import environment
from support.pdf.written_pdf import paragraph, write_pdf

CITELOOM = f"'{sys.executable}' -m citeloom"
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="redirections of a POSIX shell")


def shell(command: str, workspace: Path, **more: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a command line; ``citeloom`` is the program."""
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command.replace("citeloom", CITELOOM, 1)],
        capture_output=True,
        encoding="utf-8",
        env=environment(CITELOOM_WORKSPACE=str(workspace), **more),
        cwd=workspace.parent,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("command", "redirection", "reason"),
    [
        ("config", ">&-", "it is closed"),
        pytest.param(
            "--version",
            ">/dev/full",
            "no space left on device",
            marks=pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full"),
        ),
    ],
)
def test_output_that_cannot_be_written_is_told_in_one_line(
    samples: Path, command: str, redirection: str, reason: str
) -> None:
    code, _, err = shell(f"citeloom {command} {redirection}", samples)
    assert (code, err) == (
        4,
        f"citeloom: standard output cannot be written ({reason}); what was stored is kept\n",
    )


def test_an_error_is_told_although_its_json_cannot_be(samples: Path) -> None:
    code, _, err = shell("citeloom inspect -p nobody --json >&-", samples)
    assert code == 4
    assert "nobody" in err.splitlines()[0]
    assert "Traceback" not in err


def test_a_reader_that_has_enough_ends_the_command_in_silence(samples: Path) -> None:
    code, _, err = shell("citeloom inspect -p samples --sample all --json | true", samples)
    assert (code, err) == (141, "")


@pytest.mark.parametrize(
    "redirection", ["2>&-", pytest.param("2>/dev/full", marks=pytest.mark.faults)]
)
def test_an_ingest_needs_no_stderr(tmp_path: Path, redirection: str) -> None:
    paper = write_pdf(tmp_path / "page.pdf", [paragraph(9, 700)])
    code, out, _ = shell(f"citeloom ingest '{paper}' -p t {redirection}", tmp_path / "w")
    assert code == 0
    assert "1 added" in out


@pytest.mark.parametrize("redirection", ["<&-", ">&-"])
def test_a_server_without_a_client_says_so(tmp_path: Path, redirection: str) -> None:
    code, _, err = shell(f"citeloom mcp {redirection}", tmp_path)
    assert code == 2
    assert err.count("\n") == 1
    assert "standard input or output is closed" in err


def test_all_closed_is_no_crash(samples: Path) -> None:
    assert shell("citeloom config <&- >&- 2>&-", samples) == (4, "", "")


_HOMELESS = """
import os, pwd, sys
os.environ.pop("HOME", None)
def nobody(_): raise KeyError
pwd.getpwuid = nobody
from citeloom.infrastructure.cli.app import main
main()
"""


@pytest.mark.parametrize(("arguments", "code"), [("", 2), ("--workspace w", 0)])
def test_who_has_no_home_names_a_workspace(tmp_path: Path, arguments: str, code: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _HOMELESS, "models", "list", *arguments.split()],
        capture_output=True,
        encoding="utf-8",
        env={key: value for key, value in environment().items() if not key.startswith("XDG_")},
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    assert ("there is no home folder" in done.stderr) == bool(code)
