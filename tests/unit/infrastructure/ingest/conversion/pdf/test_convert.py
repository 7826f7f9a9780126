"""The whole way, from a PDF's bytes to the result."""

from pathlib import Path

import pytest
from support.pdf.drawn_pdf import drawn
from support.pdf.written_pdf import Text, paragraph, write_pdf

from citeloom.domain.documents.conversion import BlockLabel, LabelSource
from citeloom.domain.errors import ConversionFailed
from citeloom.infrastructure.ingest.conversion.pdf.convert import convert_pdf

TITLE = Text(150, 720, "On the Places of Words", 18)
PAGES = [
    [
        TITLE,
        Text(230, 690, "Ada Author"),
        Text(72, 650, "1 Introduction", 14, True),
        *paragraph(30, 625),
        Text(300, 40, "127", 9),
    ],
    [
        *paragraph(4, 720, seed=1),
        Text(72, 640, "2 Method", 14, True),
        *paragraph(30, 615, seed=2),
        Text(300, 40, "128", 9),
    ],
    [Text(72, 720, "3 Results", 14, True), *paragraph(20, 695, seed=3), Text(300, 40, "129", 9)],
]


@pytest.fixture(scope="module")
def paper(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_pdf(tmp_path_factory.mktemp("pdf") / "paper.pdf", PAGES)


def test_headings_title_and_authors_are_told_apart(paper: Path) -> None:
    result = convert_pdf(paper, "id")
    headings = [(h.title, h.level, h.page) for h in result.structure.headings()]
    assert result.title == "On the Places of Words"
    assert headings == [("1 Introduction", 1, 1), ("2 Method", 1, 2), ("3 Results", 1, 3)]
    authors = [result.text_of(b.span) for b in result.blocks if b.label == BlockLabel.AUTHORS]
    assert authors == ["Ada Author"]


def test_page_numbers_are_furniture_and_become_labels(paper: Path) -> None:
    result = convert_pdf(paper, "id")
    assert [f.text for f in result.furniture] == ["127", "128", "129"]
    assert [e.label for e in result.structure.page_map] == ["127", "128", "129"]
    assert {e.label_source for e in result.structure.page_map} == {LabelSource.PRINTED}
    assert "128" not in result.plain_text


def test_printed_numbers_win_over_declared_labels(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "a.pdf", PAGES, labels="/Nums [0 << /S /r /St 12 >>]")
    entries = convert_pdf(path, "id").structure.page_map
    assert [(e.label, e.label_source) for e in entries] == [
        (label, LabelSource.PRINTED) for label in ("127", "128", "129")
    ]


def test_a_paragraph_goes_over_the_page_break_and_each_line_knows_its_page(paper: Path) -> None:
    result = convert_pdf(paper, "id")
    over = next(b for b in result.blocks if b.pages and b.pages.start < b.pages.end)
    assert [line.page for line in over.lines] == [1] * 30 + [2] * 4
    for entry in result.structure.page_map:
        assert entry.spans


def test_what_stands_in_the_margin_is_told_from_the_text(tmp_path: Path) -> None:
    main = [line._replace(x=200) for line in paragraph(40, 700)]
    notes = [Text(36, 690 - 60 * n, f"Note {n} here", 8) for n in range(6)]
    path = write_pdf(tmp_path / "margin.pdf", [[*main, *notes]])
    result = convert_pdf(path, "id")
    beside = {result.text_of(block.span) for block in result.blocks if block.aside}
    running = [result.text_of(block.span) for block in result.blocks if not block.aside]
    assert "Note" in " ".join(beside)
    assert running
    assert not any("Note" in text for text in running)
    assert all(block.is_prose != block.aside for block in result.blocks)


def test_every_character_of_a_block_belongs_to_exactly_one_line(paper: Path) -> None:
    result = convert_pdf(paper, "id")
    for block in result.blocks:
        covered = [0] * len(result.plain_text)
        for line in block.lines:
            for i in range(line.start, line.end):
                covered[i] += 1
        for i in range(block.span.start, block.span.end):
            assert covered[i] == 1 or result.plain_text[i].isspace()


def test_boxes_are_in_points_from_the_top_left(paper: Path) -> None:
    result = convert_pdf(paper, "id")
    title = next(b for b in result.blocks if b.label == BlockLabel.TITLE)
    left, top, right, bottom = title.lines[0].bbox
    assert left == pytest.approx(150, abs=2)
    assert top < 792 - 720 < bottom
    assert right > left + 150


def test_a_rotated_page_is_read_as_it_is_displayed(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "turned.pdf", [paragraph(12, 700)], rotate=90)
    result = convert_pdf(path, "id")
    (entry,) = result.structure.page_map
    assert (entry.width, entry.height) == (792, 612)
    assert result.plain_text.startswith("the quick brown fox jumps")
    for line in result.blocks[0].lines:
        assert 0 <= line.bbox[0] < line.bbox[2] <= 792
        assert 0 <= line.bbox[1] < line.bbox[3] <= 612


@pytest.mark.parametrize("matrix", ["0 1 -1 0 700 0", "0 -1 1 0 0 700"], ids=["up", "down"])
def test_text_that_runs_up_or_down_is_compared_too(tmp_path: Path, matrix: str) -> None:
    rows = "".join(
        f"BT /F1 10 Tf 1 0 0 1 {row.x} {row.y} Tm ({row.text}) Tj ET " for row in paragraph(9, 600)
    )
    path = tmp_path / "up.pdf"
    path.write_bytes(drawn(f"q {matrix} cm {rows} Q BT /F1 9 Tf 72 20 Td (A foot) Tj ET"))
    result = convert_pdf(path, "id")
    assert result.plain_text.startswith("the quick brown fox jumps")
    (fidelity,) = result.fidelity
    assert fidelity.words > 100
    assert not fidelity.is_uncertain


def test_the_same_file_gives_the_same_result(paper: Path) -> None:
    assert convert_pdf(paper, "id") == convert_pdf(paper, "id")


def test_blank_pages_are_pages_and_nothing_to_warn_of(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "blank.pdf", [paragraph(9, 700), [], []])
    result = convert_pdf(path, "id")
    assert result.page_count == 3
    assert result.warnings == result.missing_pages == ()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "empty"),
        (b"hello world" * 50, "not a PDF"),
        (b"%PDF-1.4\n1 0 obj\n<< /Type /Cat", "cut off"),
    ],
)
def test_what_cannot_be_opened_says_why(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "bad.pdf"
    path.write_bytes(content)
    with pytest.raises(ConversionFailed, match=rf"bad\.pdf: .*{reason}.*; \w+"):
        convert_pdf(path, "id")


def test_the_text_in_a_figure_follows_its_caption_in_the_order_of_the_content(
    tmp_path: Path,
) -> None:
    box = "0.9 g 72 400 300 200 re f 0 g 72 400 300 200 re S 72 400 m 372 600 l S"
    labels = [
        Text(90, 560, "first label"),
        Text(300, 450, "second"),
        Text(90, 548, "goes on"),
        Text(72, 380, "Figure 1: Labels in a frame"),
    ]
    lines = [*paragraph(6, 720), *labels, *paragraph(6, 340, seed=2)]
    texts = " ".join(f"BT /F1 {t.size} Tf {t.x} {t.y} Td ({t.text}) Tj ET" for t in lines)
    path = tmp_path / "figure.pdf"
    path.write_bytes(drawn(f"{box} {texts}"))
    result = convert_pdf(path, "id")
    found = [(block.label, result.text_of(block.span)) for block in result.blocks]
    assert found[1:3] == [
        (BlockLabel.CAPTION, "Figure 1: Labels in a frame"),
        (BlockLabel.FIGURE_TEXT, "first label\nsecond\ngoes on"),
    ]
    (block,) = (block for block in result.blocks if block.label is BlockLabel.FIGURE_TEXT)
    assert [line.page for line in block.lines] == [1, 1, 1]
    assert not block.is_prose
