"""The systemd units of docs/http.md and of config/."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.paths import ROOT

ANALYZE = shutil.which("systemd-analyze")
pytestmark = pytest.mark.skipif(ANALYZE is None, reason="no systemd-analyze is installed")
#: systemd's own measure of what a service could reach, of ten.
MOST_EXPOSED = 2


@pytest.fixture(params=["citeloom.service", "citeloom@8420.service"])
def unit(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    page = (ROOT / "docs" / "http.md").read_text("utf-8")
    (shown,) = re.findall(r"^```ini\n(.*?)^```", page, re.M | re.S)
    if "@" in request.param:
        shown = (ROOT / "config" / "citeloom@.service").read_text("utf-8")
    assert "ExecStart=/usr/local/bin/citeloom serve" in shown
    file = tmp_path / request.param
    file.write_text(shown.replace("/usr/local/bin/citeloom", sys.executable))
    return file


def _analyze(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [ANALYZE or "", *arguments]
    return subprocess.run(command, capture_output=True, encoding="utf-8", timeout=60, check=False)


def test_systemd_knows_every_line_of_it(unit: Path) -> None:
    done = _analyze("verify", str(unit))
    assert (done.returncode, done.stderr) == (0, "")
    unit.write_text(unit.read_text().replace("PrivateTmp", "PrivateTemp"))
    assert "PrivateTemp" in _analyze("verify", str(unit)).stderr


def test_the_service_reaches_little_of_its_machine(unit: Path) -> None:
    threshold = f"--threshold={10 * MOST_EXPOSED}"
    asked = ("security", "--offline=true", threshold, str(unit))
    if "unrecognized option" in (done := _analyze(*asked)).stderr:
        pytest.skip("systemd-analyze is older than version 250")
    assert done.returncode == 0, done.stdout
