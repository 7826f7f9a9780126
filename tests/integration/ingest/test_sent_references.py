"""Reference files that were sent are read in a process that has bounds."""

from pathlib import Path

import pytest

from citeloom.domain.errors import DocumentTooLarge, ReferencesUnreadable
from citeloom.domain.progress import Cancelled, cancellable
from citeloom.infrastructure.ingest.conversion.protocol import Limits, Options
from citeloom.infrastructure.ingest.sent_references import SentFileReader
from citeloom.infrastructure.references.reader import FileReferenceReader

WORK = "@article{weir2020, title={Tides}, author={Weir, Ann}, year=2020}\n"


def reader(sent: Path, memory_mb: int = 512) -> SentFileReader:
    return SentFileReader(sent, lambda: (Options(memory_mb=memory_mb), Limits(document=300.0)))


def sent(folder: Path, name: str, content: str) -> Path:
    path = folder / "uploads" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(content, encoding="utf-8")
    return path


def test_a_sent_file_reads_as_any_other_and_its_errors_are_the_same(tmp_path: Path) -> None:
    path = sent(tmp_path, "works.bib", WORK)
    assert reader(path.parent).read(path) == FileReferenceReader().read(path)
    path = sent(tmp_path, "broken.bib", "nothing")
    with pytest.raises(ReferencesUnreadable, match=r"broken\.bib: an unknown kind") as caught:
        reader(path.parent).read(path)
    assert caught.value.details["path"] == str(path)


def test_a_file_that_takes_more_memory_than_a_paper_ends_its_worker_only(tmp_path: Path) -> None:
    path = sent(tmp_path, "large.bib", WORK.replace("Tides", "Tides " * 1_000_000))
    with pytest.raises((DocumentTooLarge, ReferencesUnreadable), match=r"large\.bib"):
        reader(path.parent, memory_mb=16).read(path)
    assert reader(path.parent).read(sent(tmp_path, "small.bib", WORK)).items


def test_work_that_is_given_up_ends_the_worker(tmp_path: Path) -> None:
    path = sent(tmp_path, "open.bib", "@article{weir2020,\n" * 100_000)

    def given_up() -> None:
        raise Cancelled

    with cancellable(given_up), pytest.raises(Cancelled):
        reader(path.parent).read(path)
