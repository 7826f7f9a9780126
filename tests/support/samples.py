"""Fixtures of all tests: the sample library, ingested."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.command_line import ingest_samples, inside
from support.once import made_once
from support.paths import LIBRARY


def _ingest(workspace: Path) -> None:
    done = ingest_samples(workspace)
    assert done.code == 0, done.err


@pytest.fixture(scope="session")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with the sample library in the project ``samples``. Tests only read it."""
    return made_once(tmp_path_factory, "samples", _ingest)


@pytest.fixture(scope="session")
def passages(samples: Path) -> list[dict[str, Any]]:
    """All passages of the sample library, as ``inspect`` shows them."""
    done = inside("inspect", "-p", "samples", "--sample", "all", "--json", workspace=samples)
    assert done.code == 0, done.err
    found: list[dict[str, Any]] = done.json["samples"]
    return found


@pytest.fixture(scope="session")
def truth() -> list[dict[str, Any]]:
    """What the typesetting source says of each sample paper."""
    papers: list[dict[str, Any]] = json.loads((LIBRARY / "truth.json").read_text("utf-8"))["papers"]
    return papers


@pytest.fixture
def notes(tmp_path: Path) -> Callable[..., Path]:
    """Makes a folder of small Markdown files."""

    def make(**texts: str) -> Path:
        folder = tmp_path / "notes"
        folder.mkdir(exist_ok=True)
        for name, text in texts.items():
            (folder / f"{name}.md").write_text(text, encoding="utf-8")
        return folder

    return make
