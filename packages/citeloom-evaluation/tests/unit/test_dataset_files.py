"""The records of a dataset, as ingest sees them."""

import os
from pathlib import Path

import pytest

from citeloom.application.ports.ingest import ConversionJob
from citeloom.domain.documents.conversion import BlockLabel, ConversionResult
from citeloom.domain.errors import InvalidSource
from citeloom_evaluation.composition import source_of
from citeloom_evaluation.domain.dataset import Dataset, Record
from citeloom_evaluation.infrastructure import RecordConverter, RecordFiles


def converted(record: Record) -> ConversionResult:
    source = "/set/corpus.jsonl/1"
    converter = RecordConverter({source: record})
    (outcome,) = converter.convert([ConversionJob(source=Path(source), document_id="ab" * 32)])
    assert outcome.result is not None
    return outcome.result


def test_a_record_has_its_title_and_its_paragraphs() -> None:
    result = converted(Record("1", " Tides ", "One paragraph\nof two lines.\r\n \r\nAnother."))
    assert result.title == "Tides"
    assert [(block.label, result.text_of(block.span)) for block in result.blocks] == [
        (BlockLabel.TITLE, "Tides"),
        (BlockLabel.TEXT, "One paragraph\nof two lines."),
        (BlockLabel.TEXT, "Another."),
    ]


def test_a_record_may_lack_title_and_text() -> None:
    assert converted(Record("1", "", "Text.")).title is None
    assert converted(Record("1", "", "")).plain_text == ""


def test_records_with_the_same_content_are_the_same_document(tmp_path: Path) -> None:
    records = {"/c/1": Record("1", "T", "x"), "/c/2": Record("2", "T", "x")}
    files = RecordFiles(tmp_path, {**records, "/c/3": Record("3", "Tx", "")})
    assert files.sha256(Path("/c/1")) == files.sha256(Path("/c/2")) != files.sha256(Path("/c/3"))


def test_what_a_corpus_that_did_not_change_holds_is_not_read_again(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text("{}")
    files = RecordFiles(corpus, {f"{corpus}/1": Record("1", "", "x")})

    def stamps() -> list[object]:
        return [file.stamp for file in files.find([str(corpus)], lambda _: True).files]

    first = stamps()
    assert first == stamps()
    os.utime(corpus, ns=(1, 1))
    assert first != stamps()


def test_only_the_corpus_is_a_source(tmp_path: Path) -> None:
    with pytest.raises(InvalidSource, match="name the corpus"):
        RecordFiles(tmp_path, {}).find(["elsewhere"], lambda _: True)


def test_no_two_ids_share_a_path() -> None:
    ids = ["a/b", "a%2Fb", "a", "..", ".", "%2E", "ü", " a", "a ", "A"]
    dataset = Dataset("set", "/set/corpus.jsonl", (), (), {})
    paths = [source_of(dataset, Record(id, "", "")) for id in ids]
    assert len(set(paths)) == len(ids)
    assert {str(Path(path).parent) for path in paths} == {"/set/corpus.jsonl"}
