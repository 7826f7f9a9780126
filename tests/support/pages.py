"""The commands that README and docs/ show, run by ``specs.transcripts``."""

import subprocess
import sys

import pytest
from support.command_line import environment
from support.paths import ROOT

posix_only = pytest.mark.skipif(
    sys.platform == "win32", reason="the commands are run in a POSIX terminal"
)


def assert_as_shown(*which: str) -> None:
    """The commands of some pages print what the pages show."""
    command = [sys.executable, "-m", "specs.transcripts", *which]
    done = subprocess.run(
        command, capture_output=True, encoding="utf-8", env=environment(), cwd=ROOT
    )
    assert done.returncode == 0, done.stdout + done.stderr
    if "no curl is installed" in done.stdout:
        pytest.skip(done.stdout)  # of some pages; the others are as shown
