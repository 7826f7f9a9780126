"""Of a document with several files one that can be converted is converted."""

import os
from collections.abc import Callable, Generator, Iterable
from pathlib import Path

import pytest
from support.in_memory.converter import PlainTextConverter
from support.world import HERE, World

from citeloom.application.ports.ingest import ConversionJob, ConversionOutcome, Heard
from citeloom.domain.errors import ConversionFailed, DocumentTooLarge, PasswordNeeded
from citeloom.infrastructure.ingest.source_files import LocalFiles

TEXT = "# Ponds\n\nIce lies on the pond.\n"


class Choosy(PlainTextConverter):
    """Refuses what ``refuses`` names an error for. ``tried`` are the names of files."""

    capacity = "2 GB"

    def __init__(self, refuses: Callable[[ConversionJob], Exception | None]) -> None:
        self._refuses = refuses
        self.tried: list[str] = []

    def convert(
        self, jobs: Iterable[ConversionJob], on_pages: Heard | None = None
    ) -> Generator[ConversionOutcome, None, None]:
        for job in jobs:
            self.tried.append(job.source.name)
            error = self._refuses(job)
            if error is None:
                yield from super().convert([job], on_pages)
            else:
                yield ConversionOutcome(job=job, error=error, seconds=2.0)


def no_text_files(job: ConversionJob) -> Exception | None:
    name = job.source.name
    wrong = job.source.suffix == ".txt"
    return ConversionFailed(f"{name}: rename it to .md") if wrong else None


def told(world: World) -> dict[str, tuple[str, str | None]]:
    return {
        Path(one.source).name: (one.status.value, one.error) for one in world.ingest().documents
    }


def test_a_good_copy_is_not_failed_by_one_with_a_wrong_name(tmp_path: Path) -> None:
    converter = Choosy(no_text_files)
    world = World(tmp_path, converter=converter)  # type: ignore[arg-type]
    for name in ("a.txt", "b.txt", "c.md", "d.md"):
        world.write(name, TEXT)
    assert told(world) == dict.fromkeys(("a.txt", "b.txt", "c.md", "d.md"), ("added", None))
    assert converter.tried == ["a.txt", "c.md"]
    (stored,) = world.stored()
    assert Path(stored.sources[0].path).name == "c.md"


def test_files_of_one_content_that_fail_are_told_by_their_own_names(tmp_path: Path) -> None:
    world = World(tmp_path, converter=Choosy(no_text_files))  # type: ignore[arg-type]
    for name in ("a.txt", "b.txt"):
        world.write(name, TEXT)
    assert told(world) == {
        "a.txt": ("failed", "a.txt: rename it to .md"),
        "b.txt": ("failed", "b.txt: rename it to .md"),
    }


def test_a_copy_with_a_password_of_its_own_is_tried(tmp_path: Path) -> None:
    def locked(job: ConversionJob) -> Exception | None:
        given = bool(job.password)
        return None if job.password == "right" else PasswordNeeded.of(job.source.name, given=given)

    converter = Choosy(locked)
    world = World(tmp_path, converter=converter)  # type: ignore[arg-type]
    for name in ("a.md", "b.md", "c.md"):
        world.write(name, TEXT)
    result = world.ingest(passwords={"b.md": "wrong", "c.md": "right"})
    assert converter.tried == ["a.md", "b.md", "c.md"]
    assert not result.failed


class Replaced(LocalFiles):
    """``then`` happens after a file was hashed."""

    def __init__(self, then: Callable[[Path], None]) -> None:
        self._then = then

    def sha256(self, path: Path) -> str:
        digest = super().sha256(path)
        self._then(path)
        return digest


@pytest.mark.parametrize("same_stamp", [False, True])
def test_a_file_replaced_during_an_ingest_is_not_stored_as_what_it_was(
    tmp_path: Path, same_stamp: bool
) -> None:
    def replace(path: Path) -> None:
        if path.name == "b.md":
            status = path.stat()
            path.write_text(TEXT.replace("Ice", "Mud"))
            if same_stamp:
                os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))

    world = World(tmp_path, files=Replaced(replace))
    world.write("a.md", "# Reeds\n\nReeds stand.\n")
    world.write("b.md", TEXT)
    result = world.ingest()
    (failed,) = result.failed
    assert failed.error_code == "SOURCE_CHANGED"
    assert failed.error is not None
    assert failed.error.startswith("b.md: changed after it was found")
    assert [Path(one.sources[0].path).name for one in world.stored()] == ["a.md"]
    assert len(list(world.bundles.ids())) == 1
    world.files = LocalFiles()
    assert not world.ingest().failed
    texts = {world.conversion(one.document_id).plain_text for one in world.stored()}
    assert "Ponds\n\nMud lies on the pond." in texts


def test_a_copy_of_a_file_that_was_replaced_is_converted(tmp_path: Path) -> None:
    def replace(path: Path) -> None:
        if path.name == "a.md":
            path.write_text("another")

    world = World(tmp_path, files=Replaced(replace))
    for name in ("a.md", "b.md"):
        world.write(name, TEXT)
    assert {name: status for name, (status, _) in told(world).items()} == {
        "a.md": "failed",
        "b.md": "added",
    }
    (stored,) = world.catalogue.documents(HERE)
    assert [Path(one.path).name for one in stored.sources] == ["b.md"]


def test_each_document_is_reported_with_its_time(tmp_path: Path) -> None:
    world = World(tmp_path, converter=Choosy(no_text_files))  # type: ignore[arg-type]
    world.write("a.txt", TEXT)
    world.write("b.md", "# Reeds\n\nReeds stand.\n")
    seconds = {Path(d.source).name: d.duration_seconds for d in world.ingest().documents}
    assert seconds["a.txt"] == 2.0
    assert seconds["b.md"] > 0
    lines = {r.source_path: r for r in world.journal.records if r.source_path}
    assert [(r.documents_processed, r.duration_seconds > 0) for r in lines.values()] == [
        (1, True),
        (1, True),
    ]


def test_a_document_that_was_too_large_is_tried_again_when_that_may_have_changed(
    tmp_path: Path,
) -> None:
    def too_large(job: ConversionJob) -> Exception:
        return DocumentTooLarge(f"{job.source.name}: needs more than 2 GB")

    converter = Choosy(too_large)
    world = World(tmp_path, converter=converter)  # type: ignore[arg-type]
    world.write("a.md", TEXT)
    failed = {"a.md": ("failed", "a.md: needs more than 2 GB")}
    assert told(world) == told(world) == failed
    assert converter.tried == ["a.md"]
    world.write("b.md", TEXT)
    assert told(world) == failed | {"b.md": ("failed", "b.md: needs more than 2 GB")}
    assert converter.tried == ["a.md"]
    assert world.ingest(force=True).failed
    assert converter.tried == ["a.md", "a.md"]
    converter.capacity = "4 GB"
    assert told(world)["a.md"] == failed["a.md"]
    assert converter.tried == ["a.md"] * 3
