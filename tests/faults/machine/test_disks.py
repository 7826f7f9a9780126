"""A full or read-only disk: what needs no space works, the rest says why not, nothing is lost."""

from pathlib import Path

import pytest
from faults.kills.content import content
from faults.machine.disk import SmallDisk
from support.command_line import Done, citeloom

pytestmark = pytest.mark.faults
QUESTION = "How far does the cooling of ponds reach?"
READING = (
    ("query", QUESTION, "-p", "samples"),
    ("list", "-p", "samples"),
    ("inspect", "-p", "samples"),
    ("validate", "-p", "samples"),
    ("export", "-p", "samples"),
    ("project", "list"),
)


def fine(done: Done) -> None:
    assert done.code == 0, f"{done.out[-500:]} {done.err}"
    assert "Traceback" not in done.err


@pytest.mark.parametrize("command", READING, ids=lambda command: " ".join(command[:2]))
def test_a_full_disk_can_be_read(
    command: tuple[str, ...], disk: SmallDisk, workspace: Path
) -> None:
    before = citeloom(*command, workspace=workspace)
    disk.fill()
    done = citeloom(*command, workspace=workspace)
    fine(done)
    assert done.out == before.out


def test_a_project_deleted_on_a_full_disk_gives_its_space_back(
    disk: SmallDisk, workspace: Path
) -> None:
    disk.fill()
    fine(citeloom("project", "delete", "samples", "--yes", workspace=workspace))
    listed = citeloom("project", "list", "--json", workspace=workspace)
    assert listed.json["projects"] == []


@pytest.mark.parametrize("left", [0, 100_000, 1_000_000, 5_000_000, 20_000_000])
def test_an_ingest_that_finds_no_space_loses_nothing(
    left: int, disk: SmallDisk, workspace: Path, tmp_path: Path
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    for n in range(8):
        text = f"# Note {n}\n\n" + f"Station {n} measured a tide of {n} metres. " * 400
        (notes / f"note{n}.md").write_text(text, encoding="utf-8")
    before = content(workspace)
    disk.fill(leave=left)
    done = citeloom("ingest", notes, "-p", "samples", workspace=workspace)
    assert done.code in (0, 4)
    if done.code:
        assert "disk" in done.err
    assert "Traceback" not in done.err
    disk.free()
    after = content(workspace)["local/samples"]
    for name, document in before["local/samples"]["documents"].items():
        assert after["documents"][name] == document
    fine(citeloom("ingest", notes, "-p", "samples", workspace=workspace))
    assert (
        len(content(workspace)["local/samples"]["documents"])
        == len(before["local/samples"]["documents"]) + 8
    )
    fine(citeloom("validate", "--deep", workspace=workspace))


@pytest.mark.parametrize("command", READING, ids=lambda command: " ".join(command[:2]))
def test_a_read_only_workspace_can_be_read(
    command: tuple[str, ...], disk: SmallDisk, workspace: Path
) -> None:
    before = citeloom(*command, workspace=workspace)
    disk.mount("ro")
    done = citeloom(*command, workspace=workspace)
    disk.mount("rw")
    fine(done)
    assert done.out == before.out


def test_a_read_only_workspace_refuses_what_writes(
    disk: SmallDisk, workspace: Path, tmp_path: Path
) -> None:
    (tmp_path / "note.md").write_text("# A note\n\nOf tides.\n", encoding="utf-8")
    disk.mount("ro")
    done = citeloom("ingest", tmp_path / "note.md", "-p", "samples", workspace=workspace)
    disk.mount("rw")
    assert done.code == 4
    assert "read-only" in done.err.lower() or "not writable" in done.err.lower(), done.err
    assert "Traceback" not in done.err
