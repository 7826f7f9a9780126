"""Archives of a workspace: what goes in comes out, and nothing damaged or hostile does."""

import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from citeloom.domain.errors import InvalidSource, WorkspaceTooNew
from citeloom.infrastructure.backup import reading, unpack, verify, writing

NOW = datetime(2026, 1, 1, tzinfo=UTC)
CONTENTS = {"maps/a.json": b"{}", "index/x/shard/page.dat": bytes(3_000_000) + b"end" + bytes(5000)}


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    target = tmp_path / "backup.zip"
    with writing(target, NOW, catalogue=False) as writer:
        for number, (name, content) in enumerate(CONTENTS.items()):
            file = tmp_path / str(number)
            file.write_bytes(content)
            writer.add(file, name)
    return target


def unpacked(archive: Path, target: Path) -> None:
    with reading(archive) as (opened, manifest):
        unpack(opened, manifest, archive, target)


def rewritten(archive: Path, name: str, content: bytes) -> None:
    """Replace one entry of the archive."""
    with zipfile.ZipFile(archive) as old:
        entries = {one: old.read(one) for one in old.namelist()}
    with zipfile.ZipFile(archive, "w") as new:
        for one, kept in {**entries, name: content}.items():
            new.writestr(one, content if one == name else kept)


def test_what_goes_in_comes_out_with_holes_for_zeros(archive: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    unpacked(archive, out)
    found = {path.relative_to(out).as_posix(): path for path in out.rglob("*") if path.is_file()}
    assert {name: path.read_bytes() for name, path in found.items()} == CONTENTS
    assert archive.stat().st_size < 100_000


def test_a_changed_file_is_seen(archive: Path, tmp_path: Path) -> None:
    rewritten(archive, "maps/a.json", b"[]")
    with pytest.raises(InvalidSource, match=r"damaged \(maps/a.json differs\)"):
        unpacked(archive, tmp_path / "out")


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9])
def test_a_cut_archive_is_seen(archive: Path, tmp_path: Path, part: float) -> None:
    content = archive.read_bytes()
    archive.write_bytes(content[: int(len(content) * part)])
    with pytest.raises(InvalidSource):
        unpacked(archive, tmp_path / "out")


@pytest.mark.parametrize("part", [0.1, 0.3, 0.5])
def test_a_garbled_archive_is_seen(archive: Path, part: float) -> None:
    content = bytearray(archive.read_bytes())
    place = int(len(content) * part)
    content[place : place + 8] = b"\xa5" * 8
    archive.write_bytes(content)
    with reading(archive) as (opened, manifest), pytest.raises(InvalidSource, match="damaged"):
        verify(opened, manifest, archive)


@pytest.mark.parametrize("name", ["../x", "/etc/x", "maps/../../x", "citeloom.toml", "maps\\..\\x"])
def test_a_file_outside_of_the_workspace_is_refused(
    archive: Path, tmp_path: Path, name: str
) -> None:
    with zipfile.ZipFile(archive) as opened:
        manifest = json.loads(opened.read("manifest.json"))
    manifest["files"][name] = manifest["files"]["maps/a.json"]
    rewritten(archive, "manifest.json", json.dumps(manifest).encode())
    with pytest.raises(InvalidSource, match="has no place in a workspace"):
        unpacked(archive, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_an_archive_of_a_later_version_and_another_file_are_refused(
    archive: Path, tmp_path: Path
) -> None:
    with zipfile.ZipFile(archive) as opened:
        manifest = json.loads(opened.read("manifest.json"))
    rewritten(archive, "manifest.json", json.dumps({**manifest, "version": 2}).encode())
    with pytest.raises(WorkspaceTooNew), reading(archive):
        pass
    rewritten(archive, "manifest.json", b'{"format": "photos"}')
    with pytest.raises(InvalidSource, match="not a backup of a workspace"), reading(archive):
        pass
