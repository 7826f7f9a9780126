"""The plugin of docs/plugins.md, installed and run."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from support.command_line import citeloom, inside
from support.paths import LIBRARY, ROOT

from specs.transcripts.pages import blocks

pytestmark = pytest.mark.pages
WORKS = """%0 Journal Article
%A Brønsager, Maëlis
%A Gálfyrud, Péter
%T Spaced Re-reading and Two-Week Recall of Expository Articles
%D 2021

%0 Book
%T Ponds
"""


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """The environment variables of a process that has the plugin installed."""
    project = tmp_path_factory.mktemp("project")
    for block in blocks((ROOT / "docs" / "plugins.md").read_text("utf-8")):
        if name := block.said.get("file"):
            (project / name).write_text("\n".join(block.lines) + "\n", "utf-8")
    folder = tmp_path_factory.mktemp("installed")
    install = [
        sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index",
        "--no-build-isolation", "--target", str(folder), str(project),
    ]  # fmt: skip
    subprocess.run(install, check=True, capture_output=True)
    return {"PYTHONPATH": str(folder)}


@pytest.fixture
def works(tmp_path: Path) -> Path:
    path = tmp_path / "works.enw"
    path.write_text(WORKS, "utf-8")
    return path


def ingest(works: Path, **environment: str) -> tuple[int, str, str]:
    paper = next((LIBRARY / "papers").glob("spaced*.pdf"))
    done = citeloom(
        "ingest", paper, "--references", works, "--project", "p", "--json",
        workspace=works.parent, **environment,
    )  # fmt: skip
    return done.code, done.out, done.err


def test_its_command_is_in_the_help_and_runs(plugin: Mapping[str, str], works: Path) -> None:
    assert "count-refer" in citeloom("--help", **plugin).out
    done = citeloom("count-refer", works, **plugin)
    assert (done.code, done.out) == (0, "works.enw: 2 works\n")


def test_its_format_is_read(plugin: Mapping[str, str], works: Path) -> None:
    code, out, err = ingest(works, **plugin)
    assert code == 0, err
    assert "brønsager2021Spaced" in out
    listed = inside("list", "--json", workspace=works.parent).json
    assert "Brønsager" in json.dumps(listed, ensure_ascii=False)


def test_a_file_that_it_refuses_is_named_with_its_reason(
    plugin: Mapping[str, str], works: Path
) -> None:
    works.write_text("%0 Book\n%D 2020\n", "utf-8")
    code, _, err = ingest(works, **plugin)
    assert code != 0
    assert "works.enw: not usable Refer: a work without a title (%T)" in err


def test_without_it_neither_is_there(works: Path) -> None:
    assert inside("count-refer", works).code == 2
    code, _, err = ingest(works)
    assert code != 0
    assert "this is EndNote (Refer)" in err
