"""A digest is remembered only while nothing can have changed."""

import os
import time
from pathlib import Path

import pytest

from citeloom.domain.errors import ConversionFailed, InvalidRequest, ReferencesUnreadable
from citeloom.infrastructure.citation.csl.style import load_style
from citeloom.infrastructure.ingest import source_files as file_digests
from citeloom.infrastructure.ingest.conversion.sources import read_content
from citeloom.infrastructure.ingest.source_files import DigestCachingFiles, LocalFiles
from citeloom.infrastructure.references.reader import FileReferenceReader


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The files that were read."""
    seen: list[Path] = []
    plain = LocalFiles.sha256

    def counted(self: LocalFiles, path: Path) -> str:
        seen.append(path)
        return plain(self, path)

    monkeypatch.setattr(LocalFiles, "sha256", counted)
    return seen


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "f"
    path.write_bytes(b"one")
    return path


def later(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    now = time.time_ns()
    monkeypatch.setattr(file_digests.time, "time_ns", lambda: now + int(seconds * 1e9))


def test_a_settled_file_is_read_once(
    file: Path, read: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    later(monkeypatch, 60)
    files = DigestCachingFiles()
    assert files.sha256(file) == files.sha256(file) == LocalFiles().sha256(file)
    assert len(read) == 2


def test_a_file_that_was_just_written_is_read_each_time(file: Path, read: list[Path]) -> None:
    files = DigestCachingFiles()
    files.sha256(file)
    files.sha256(file)
    assert len(read) == 2


@pytest.mark.skipif(os.name == "nt", reason="there, a time of modification that is set back fools")
def test_same_size_and_time_of_modification_do_not_hide_a_change(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    later(monkeypatch, 60)
    files = DigestCachingFiles()
    before, stat = files.sha256(file), file.stat()
    file.write_bytes(b"two")
    os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert files.sha256(file) != before


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in the file system")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="not an ordinary file"):
        DigestCachingFiles().sha256(tmp_path / "pipe")
    with pytest.raises(OSError, match="not an ordinary file"):
        LocalFiles().sha256(Path(os.devnull))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in the file system")
@pytest.mark.parametrize("name", ["pipe.pdf", "pipe.md"])
def test_a_file_that_became_a_pipe_is_not_converted(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    with pytest.raises(ConversionFailed, match=f"{name}: cannot be read .not an ordinary file"):
        read_content(tmp_path / name, "0" * 64, 512)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in the file system")
def test_neither_references_nor_styles_are_read_from_a_pipe(tmp_path: Path) -> None:
    for name in ("pipe.bib", "pipe.csl"):
        os.mkfifo(tmp_path / name)
    with pytest.raises(ReferencesUnreadable, match="not an ordinary file"):
        FileReferenceReader().read(tmp_path / "pipe.bib")
    with pytest.raises(InvalidRequest, match="not an ordinary file"):
        load_style(str(tmp_path / "pipe.csl"))


def test_links_to_folders_are_named_and_not_entered(tmp_path: Path) -> None:
    papers, elsewhere = tmp_path / "papers", tmp_path / "elsewhere"
    for folder in (papers / "own", elsewhere):
        folder.mkdir(parents=True)
        (folder / "a.md").write_text("x")
    (papers / "own" / "circle").symlink_to(papers)
    (papers / "linked").symlink_to(elsewhere)
    (papers / "file.md").symlink_to(elsewhere / "a.md")
    files = LocalFiles()
    found = files.find([str(papers)], lambda path: path.suffix == ".md")
    assert [one.path for one in found.files] == [papers / "file.md", papers / "own" / "a.md"]
    assert found.links == (papers / "linked", papers / "own" / "circle")
    both = files.find([str(papers), str(papers / "linked")], lambda path: path.suffix == ".md")
    assert papers / "linked" / "a.md" in [one.path for one in both.files]
    assert both.links == (papers / "own" / "circle",)
