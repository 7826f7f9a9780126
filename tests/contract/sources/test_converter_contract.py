"""What every converter promises, whatever is behind it."""

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from support.dask_cluster import dask_cluster
from support.in_memory.converter import PlainTextConverter

from citeloom.application.ports.ingest import ConversionJob, ConversionOutcome, Converter
from citeloom.domain.documents.conversion import BlockLabel, ConversionResult
from citeloom.domain.errors import ConversionFailed, SourceChanged, UnsupportedFormat
from citeloom.infrastructure.ingest.conversion.pool import ProcessConverter
from citeloom_server.infrastructure.cluster.converter import ClusterConverter
from citeloom_server.infrastructure.cluster.requests import EmbedderSettings

PAPER = """\
# On weaving

Looms hold threads. doi:10.1234/loom.1

## Methods

We wove *cloth*.
Then we cut it.

## References

Smith, J. (2001). doi:10.9999/other.
"""
REPORT = "First page.\n\nSecond paragraph.\n\fPage two\nends here.\n"
FILES = {
    "paper.md": PAPER.encode(),
    "copy of paper.md": PAPER.encode(),
    "report.txt": REPORT.encode(),
    "empty.txt": b"",
    "blank.txt": b" \n\n ",
    "picture.txt": b"\x89PNG\r\n\x1a\n" + b"\x00" * 50,
    "western.txt": "Grüße aus Köln".encode("cp1252"),
    "greek.txt": "Ἐν ἀρχῇ ἦν ὁ λόγος — 漢字 — Слово".encode(),
}


@pytest.fixture(
    scope="module", params=["plain", "process", pytest.param("cluster", marks=pytest.mark.server)]
)
def converter(request: pytest.FixtureRequest) -> Iterator[Converter]:
    if request.param == "cluster":
        with dask_cluster() as cluster:
            yield ClusterConverter(
                ProcessConverter(), cluster.scheduler_address, embedder=EmbedderSettings()
            )
    else:
        yield PlainTextConverter() if request.param == "plain" else ProcessConverter()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("documents")
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    return folder


@pytest.fixture(scope="module")
def outcomes(converter: Converter, folder: Path) -> dict[str, ConversionOutcome]:
    jobs = [job(folder / name) for name in (*FILES, "missing.txt")]
    return {one.job.source.name: one for one in converter.convert(jobs)}


def job(source: Path) -> ConversionJob:
    content = source.read_bytes() if source.exists() else b""
    return ConversionJob(source=source, document_id=hashlib.sha256(content).hexdigest())


def result_of(outcome: ConversionOutcome) -> ConversionResult:
    assert outcome.error is None, outcome.error
    assert outcome.result is not None
    return outcome.result


def test_every_job_has_exactly_one_outcome(outcomes: dict[str, ConversionOutcome]) -> None:
    assert set(outcomes) == {*FILES, "missing.txt"}
    assert all((one.result is None) != (one.error is None) for one in outcomes.values())
    assert all(one.seconds >= 0 for one in outcomes.values())


def test_results_carry_the_job_and_the_converter(
    converter: Converter, outcomes: dict[str, ConversionOutcome]
) -> None:
    for outcome in outcomes.values():
        if outcome.result is not None:
            assert outcome.result.doc_id == outcome.job.document_id
            assert outcome.result.converter == converter.fingerprint


def test_blocks_are_in_order_and_separated_by_an_empty_line(
    outcomes: dict[str, ConversionOutcome],
) -> None:
    for outcome in outcomes.values():
        if (result := outcome.result) is not None:
            texts = [result.text_of(block.span) for block in result.blocks]
            assert "\n\n".join(texts) == result.plain_text
            assert all(text == text.strip() != "" for text in texts)


def test_lines_lie_in_their_block_and_their_page(outcomes: dict[str, ConversionOutcome]) -> None:
    result = result_of(outcomes["report.txt"])
    for block in result.blocks:
        assert block.lines
        for line in block.lines:
            assert block.span.start <= line.start < line.end <= block.span.end
            page = result.structure.page_map[line.page - 1]
            left, top, right, bottom = line.bbox
            assert 0 <= left < right <= page.width
            assert 0 <= top < bottom <= page.height


def test_a_form_feed_ends_a_page(outcomes: dict[str, ConversionOutcome]) -> None:
    result = result_of(outcomes["report.txt"])
    assert [entry.page for entry in result.structure.page_map] == [1, 2]
    slices = [[result.text_of(s) for s in e.spans] for e in result.structure.page_map]
    assert slices == [["First page.\n\nSecond paragraph."], ["Page two\nends here."]]
    assert all(entry.label is None for entry in result.structure.page_map)


def test_formats_without_pages_have_no_page_map(outcomes: dict[str, ConversionOutcome]) -> None:
    result = result_of(outcomes["paper.md"])
    assert result.structure.page_map == ()
    assert all(block.lines == () for block in result.blocks)


def test_headings_are_a_tree_over_the_text(outcomes: dict[str, ConversionOutcome]) -> None:
    result = result_of(outcomes["paper.md"])
    headings = {heading.title: heading for heading in result.structure.headings()}
    methods = headings["Methods"]
    assert result.plain_text[methods.span.start :].startswith("Methods\n\nWe wove")
    offset = result.plain_text.index("Then we cut it")
    path = result.structure.section_path_at(offset)
    assert path is not None
    assert path.leaf == "Methods"
    levels = [b.level for b in result.blocks if b.label is BlockLabel.SECTION_HEADER]
    assert all(levels)


def test_the_title_and_own_identifiers_are_found_not_those_of_references(
    outcomes: dict[str, ConversionOutcome],
) -> None:
    result = result_of(outcomes["paper.md"])
    assert result.title == "On weaving"
    assert result.identifiers == ("10.1234/loom.1",)


def test_any_script_survives(outcomes: dict[str, ConversionOutcome]) -> None:
    assert result_of(outcomes["greek.txt"]).plain_text == FILES["greek.txt"].decode()


def test_text_that_is_not_utf8_is_read_with_a_warning(
    outcomes: dict[str, ConversionOutcome],
) -> None:
    result = result_of(outcomes["western.txt"])
    assert result.plain_text == "Grüße aus Köln"
    assert "Windows-1252" in result.warnings[0]


def test_a_document_without_text_is_no_error_but_a_warning(
    outcomes: dict[str, ConversionOutcome],
) -> None:
    result = result_of(outcomes["blank.txt"])
    assert result.blocks == ()
    assert "the document holds no text" in result.warnings


def test_bad_files_are_outcomes_that_name_thing_reason_and_next_step(
    outcomes: dict[str, ConversionOutcome],
) -> None:
    empty, picture, missing = (
        outcomes[name].error for name in ("empty.txt", "picture.txt", "missing.txt")
    )
    assert isinstance(empty, ConversionFailed)
    assert str(empty).startswith("empty.txt: the file is empty (0 bytes); ")
    assert isinstance(picture, UnsupportedFormat)
    assert "this is a PNG image by its content" in str(picture)
    assert isinstance(missing, ConversionFailed)
    assert str(missing).startswith("missing.txt: cannot be read (")


def test_a_file_with_another_content_than_the_job_s_is_not_converted(
    converter: Converter, folder: Path
) -> None:
    other = job(folder / "paper.md").model_copy(update={"source": folder / "report.txt"})
    (outcome,) = converter.convert([other])
    assert isinstance(outcome.error, SourceChanged)
    assert str(outcome.error).startswith("report.txt: changed after it was found, or while")


def test_the_same_content_gives_the_same_result(
    outcomes: dict[str, ConversionOutcome],
) -> None:
    assert outcomes["copy of paper.md"].result == outcomes["paper.md"].result


def test_supports_goes_by_the_name(converter: Converter) -> None:
    assert converter.supports(Path("notes.md"))
    assert converter.supports(Path("NOTES.TXT"))
    assert not converter.supports(Path("song.mp3"))
    assert not converter.supports(Path("README"))


def test_the_fingerprint_is_stable_and_fits_on_a_line(converter: Converter) -> None:
    assert converter.fingerprint == converter.fingerprint
    assert converter.fingerprint
    assert "\n" not in converter.fingerprint


def test_closing_early_is_allowed(converter: Converter, folder: Path) -> None:
    taken: list[Path] = []

    def jobs() -> Iterable[ConversionJob]:
        for name in ("western.txt", "report.txt", "greek.txt", "blank.txt"):
            taken.append(folder / name)
            yield job(folder / name)

    run = converter.convert(jobs())
    assert isinstance(run, Iterator)
    next(run)
    run.close()  # type: ignore[attr-defined]
    assert len(taken) < 4


def test_the_formats_are_named(converter: Converter) -> None:
    assert {"Markdown", "plain text"} <= set(converter.formats)
