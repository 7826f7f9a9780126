"""What is generated is up to date."""

import subprocess
import sys

import pytest
from support.paths import ROOT


def test_schemas_and_the_command_reference_are_those_of_the_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from specs.generate import main

    for name in ("COLUMNS", "TERM"):  # which it sets
        monkeypatch.setenv(name, "")
    stale = main(["--check"])
    assert not stale, capsys.readouterr().err


def test_the_sample_library_is_what_its_sources_typeset() -> None:
    command = [sys.executable, str(ROOT / "references" / "sources" / "build.py"), "--check"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr
