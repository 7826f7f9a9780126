"""``citeloom doctor``: what works, what is missing, and a command for it."""

from pathlib import Path

import pytest
from support.in_memory.index import InMemoryIndex
from support.world import World

from citeloom.infrastructure.cli.doctor import doctor
from citeloom.infrastructure.system.serve_file import told_in


@pytest.fixture(autouse=True)
def no_zotero(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


def checks(world: World, part: str) -> list[tuple[str, str]]:
    found = doctor(world.application).document["checks"]
    return [(one["state"], one["next"]) for one in found if one["part"] == part]


def test_an_empty_workspace_is_well_and_says_how_to_begin(world: World) -> None:
    done = doctor(world.application)
    assert done.document["next"][0].startswith("citeloom ingest FOLDER")
    assert checks(world, "workspace") == [("ok", "")]
    assert checks(world, "project") == []
    assert checks(world, "server") == [("off", "citeloom serve")]


def test_a_project_with_findings_names_the_command_that_shows_them(world: World) -> None:
    world.write("ponds.md", "# Ponds\n\nThey cool the street.\n")
    world.ingest()
    assert checks(world, "project") == [("ok", "")]
    assert checks(world, "workspace") == [("ok", "citeloom validate")]
    world.index = InMemoryIndex()
    assert checks(world, "project") == [("fail", "citeloom validate --project local/thesis")]


def test_the_doctor_reads_no_document(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.write("ponds.md", "# Ponds\n\nThey cool the street.\n")
    world.ingest()

    def read(*_: object, **__: object) -> None:
        raise AssertionError("a document was read")

    for name in ("stored_conversions", "scanned_documents", "text_fidelity"):
        monkeypatch.setattr(f"citeloom.application.validation.validate.{name}", read)
    assert checks(world, "project") == [("ok", "")]


def test_a_model_that_is_not_here_fails_with_the_command_that_fetches_it(world: World) -> None:
    world.settings = {"embedding": {"model": "BAAI/bge-small-en"}}
    assert ("fail", "citeloom models fetch BAAI/bge-small-en") in checks(world, "model")
    assert doctor(world.application).code == 1


def test_a_server_of_this_workspace_is_found(world: World) -> None:
    home = world.application.workspace.home
    with told_in(home, "http://127.0.0.1:8420", None):
        assert checks(world, "server") == [("ok", "")]
    assert checks(world, "server") == [("off", "citeloom serve")]
