"""Line numbers are no text; numbers of lists, tables, verses and listings are."""

import re
from pathlib import Path

import pytest
from support.pdf.interrupted_text import Writer
from support.pdf.numbered_lines import Layout, manuscript
from support.pdf.written_pdf import Text, write_pdf

from citeloom.domain.documents.conversion import BlockLabel, ConversionResult
from citeloom.infrastructure.ingest.conversion.pdf.convert import convert_pdf

SEEDS = range(24)
MOST_LOST = 2  # sentences around a heading in the middle of two columns
_NUMBER = re.compile(r"(?<!\S)\d+(?!\S)")


def converted(pages: list[list[Text]], folder: Path) -> ConversionResult:
    return convert_pdf(write_pdf(folder / "made.pdf", pages), "id")


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: f"{seed}-{Layout.drawn(seed).sides}")
def test_a_manuscript_reads_as_if_its_lines_had_no_numbers(seed: int, tmp_path: Path) -> None:
    made = manuscript(seed)
    document = converted(made.pages, tmp_path)
    bare = converted(manuscript(seed, numbered=False).pages, tmp_path)
    assert document.plain_text == bare.plain_text
    assert [block.label for block in document.blocks] == [block.label for block in bare.blocks]
    flat = " ".join(document.plain_text.split())
    lost = [sentence for sentence in made.sentences if sentence not in flat]
    assert len(lost) <= MOST_LOST
    assert _NUMBER.findall(flat) == []
    assert document.title == made.title
    headings = [b for b in document.blocks if b.label == BlockLabel.SECTION_HEADER]
    assert [document.text_of(block.span) for block in headings] == made.headings
    labels = [page.label for page in document.structure.page_map]
    assert labels == [str(made.first + at) for at in range(len(made.pages))]
    assert document.disputed == ()
    assert not any(page.is_uncertain for page in document.fidelity)


def test_the_layouts_differ() -> None:
    layouts = [Layout.drawn(seed) for seed in SEEDS]
    kinds = {(x.sides, x.every, x.restarts, x.columns, x.ruler, x.order) for x in layouts}
    assert len(kinds) >= 20


def kept(texts: list[list[Text]], folder: Path) -> list[int]:
    document = converted(texts, folder)
    return sorted(int(number) for number in _NUMBER.findall(document.plain_text))


def prose(writer: Writer, count: int, top: float, x: float = 90.0) -> list[Text]:
    lines = writer.lines(40, 84)[:count]
    return [Text(x, top - 12 * at, line) for at, line in enumerate(lines)]


@pytest.mark.parametrize("seed", range(3))
def test_the_numbers_of_a_list_stay(seed: int, tmp_path: Path) -> None:
    writer = Writer(seed)
    pages = []
    for page in range(2):
        items = [f"{14 * page + at + 1}" for at in range(14)]
        texts = [" ".join(writer.words(writer.random.randint(3, 11))) for _ in items]
        listed = [
            part
            for at, (number, text) in enumerate(zip(items, texts, strict=True))
            for part in (Text(90, 700 - 12 * at, number), Text(110, 700 - 12 * at, text))
        ]
        pages.append([*listed, *prose(writer, 20, 500)])
    assert kept(pages, tmp_path) == [*range(1, 29)]


@pytest.mark.parametrize("seed", range(3))
def test_the_numbers_of_a_table_stay(seed: int, tmp_path: Path) -> None:
    writer = Writer(seed)
    pages = []
    for page in range(3):
        rows = [
            part
            for at in range(40)
            for part in (
                Text(90, 700 - 14 * at, str(40 * page + at + 1)),
                Text(130, 700 - 14 * at, " ".join(writer.words(2))),
                Text(300, 700 - 14 * at, " ".join(writer.words(1))),
                Text(420, 700 - 14 * at, " ".join(writer.words(1))),
            )
        ]
        pages.append(rows)
    assert kept(pages, tmp_path) == [*range(1, 121)]


@pytest.mark.parametrize("seed", range(3))
def test_the_numbers_of_verses_stay(seed: int, tmp_path: Path) -> None:
    """A verse of several lines has one number in the margin."""
    writer = Writer(seed)
    pages, number = list[list[Text]](), 0
    for _ in range(3):
        page, y = list[Text](), 700.0
        while y > 100:
            number += 1
            page.append(Text(70, y, str(number), 8.0))
            for line in writer.lines(writer.random.randint(2, 3), 80):
                page.append(Text(90, y, line))
                y -= 12
        pages.append(page)
    assert kept(pages, tmp_path) == [*range(1, number + 1)]


@pytest.mark.parametrize("seed", range(3))
def test_the_code_of_a_numbered_listing_stays(seed: int, tmp_path: Path) -> None:
    """Whether its numbers stay is left open."""
    writer = Writer(seed)
    code = [f"{a} = {b}[{c}]" for a, b, c in (writer.words(3) for _ in range(12))]
    listing = [
        part
        for at, line in enumerate(code)
        for part in (Text(76, 640 - 12 * at, str(at + 1), 6.0), Text(90, 640 - 12 * at, line))
    ]
    pages = [
        [*prose(writer, 4, 700), *listing, *prose(writer, 20, 480)],
        prose(writer, 40, 700),
    ]
    document = converted(pages, tmp_path)
    flat = " ".join(document.plain_text.split())
    assert [line for line in code if line not in flat] == []


def test_the_numbers_of_equations_stay(tmp_path: Path) -> None:
    writer = Writer(1)
    page = list[Text]()
    for at in range(8):
        y = 700 - 80 * at
        page += prose(writer, 4, y)
        page += [Text(250, y - 56, "a = b + c"), Text(500, y - 56, f"({at + 1})")]
    document = converted([page], tmp_path)
    assert [n for n in range(1, 9) if f"({n})" not in document.plain_text] == []


def test_a_numbered_heading_keeps_its_number(tmp_path: Path) -> None:
    """The number of a section stands beside its title, not in the column of the line numbers."""
    writer = Writer(2)
    lines = [*writer.lines(12, 84)]
    lines.insert(8, "2 Methods")
    page = [
        part
        for at, line in enumerate(lines)
        for part in (
            Text(70, 700 - 14 * at, str(at + 1), 7.0),
            Text(90, 700 - 14 * at, line, 13.0 if line == "2 Methods" else 10.0, at == 8),
        )
    ]
    document = converted([page], tmp_path)
    assert "2 Methods" in document.plain_text
    assert _NUMBER.findall(document.plain_text) == ["2"]
