"""What is generated is up to date."""

import subprocess
import sys

from support.paths import ROOT


def test_schemas_and_the_command_reference_are_those_of_the_code() -> None:
    command = [sys.executable, str(ROOT / "specs" / "generate.py"), "--check"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr


def test_the_sample_library_is_what_its_sources_typeset() -> None:
    command = [sys.executable, str(ROOT / "references" / "sources" / "build.py"), "--check"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr
