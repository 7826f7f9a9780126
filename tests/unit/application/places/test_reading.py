"""Reading for people: words as stored, pages by their printed numbers, sections by heading."""

from collections.abc import Callable

import pytest
from support.world import HERE, World

from citeloom.domain.documents.conversion import (
    Block,
    BlockLabel,
    ConversionResult,
    Heading,
    PageEntry,
    Structure,
)
from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.errors import InvalidRequest
from citeloom.domain.resources.reading import as_read, whole

Reading = Callable[..., str]
PARTS = (
    ("# A", BlockLabel.TITLE), ("1. Methods", BlockLabel.SECTION_HEADER),
    ("2&A are <scan> resistant and", BlockLabel.TEXT), ("a | b\nc | d", BlockLabel.TABLE),
    ("2. Other methods", BlockLabel.SECTION_HEADER), ("The end.", BlockLabel.TEXT),
)  # fmt: skip


def paged(document_id: str, *labels: str | None) -> ConversionResult:
    """Three pages, of which the second begins within the first paragraph."""
    text, blocks, at = "", [], 0
    for part, label in PARTS:
        span = CharSpan(start=at, end=at + len(part))
        blocks.append(
            Block(label=label, span=span, level=1 if label is BlockLabel.SECTION_HEADER else None)
        )
        text, at = f"{text}{part}\n\n", span.end + 2
    cuts = [0, text.index("are <scan>"), text.index("2. Other"), len(text)]
    entries = [
        PageEntry(page=n + 1, label=label, spans=(CharSpan(start=cuts[n], end=cuts[n + 1]),))
        for n, label in enumerate(labels)
    ]
    first, second = text.index("1. Methods"), cuts[2]
    headings = (
        Heading(title="1. Methods", level=1, span=CharSpan(start=first, end=second)),
        Heading(title="2. Other methods", level=1, span=CharSpan(start=second, end=len(text))),
    )
    return ConversionResult(
        doc_id=document_id,
        plain_text=text,
        blocks=tuple(blocks),
        structure=Structure(heading_tree=headings, page_map=tuple(entries)),
    )


@pytest.fixture
def reading(world: World) -> Reading:
    world.write("paper.md", "# A\n\nText of it.\n")
    world.ingest()
    (stored,) = world.stored()
    world.bundles.save(paged(stored.document_id, "439", "440", None), "pages")
    return world.application.resources.show.markdown


def test_the_whole_document_is_read_with_its_pages(reading: Reading) -> None:
    assert reading("paper", HERE) == (
        "[p. 439]\n\n# # A\n\n# 1. Methods\n\n2&A\n\n[p. 440]\n\nare <scan> resistant and\n\n"
        "| a | b |\n| --- | --- |\n| c | d |\n\n[PDF p. 3]\n\n# 2. Other methods\n\nThe end."
    )


def test_pages_are_named_as_they_are_printed_or_counted(reading: Reading, world: World) -> None:
    second = reading("paper", HERE, page="440")
    assert second.startswith("[p. 440]\n\nare <scan> resistant and")
    assert "439" not in second
    assert reading("paper", HERE, page="PDF 2") == second
    assert reading("paper", HERE, page="439-440").endswith(second)
    (stored,) = world.stored()
    assert reading(f"doc://{stored.document_id[:16]}#pages=2") == second


def test_a_section_is_named_with_or_without_its_number(reading: Reading) -> None:
    for name in ("Methods", "1. Methods", "methods"):
        assert reading("paper", HERE, section=name).startswith("[p. 439]\n\n# 1. Methods")
    assert reading("paper", HERE, section="Other").endswith("# 2. Other methods\n\nThe end.")


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"page": "441"}, "no page 441; its pages are 439 to 440"),
        ({"page": "PDF 9"}, "no page PDF 9; its pages are PDF pp. 1 to 3"),
        ({"section": "metods"}, "metods: no such section in "),
        ({"section": "etho"}, "etho: means 2 sections of "),
        ({"page": "1", "section": "x"}, "a page or a section"),
    ],
)
def test_what_is_not_there_is_told(reading: Reading, asked: dict[str, str], message: str) -> None:
    with pytest.raises(InvalidRequest, match=message):
        reading("paper", HERE, **asked)


def test_without_printed_numbers_no_page_is_guessed(reading: Reading, world: World) -> None:
    (stored,) = world.stored()
    world.bundles.save(paged(stored.document_id, None, None, None), "pages")
    with pytest.raises(InvalidRequest, match=r"not known; name a page of the file: PDF p\. 2"):
        reading("paper", HERE, page="2")
    world.bundles.save(paged(stored.document_id, "7", "7", "8"), "pages")
    with pytest.raises(InvalidRequest, match=r"7 is printed on several pages.* PDF pp\. 1-2"):
        reading("paper", HERE, page="7")


def test_nothing_is_left_out_of_a_document_without_pages() -> None:
    text = as_read(document := paged("0" * 64), whole(document)).text
    assert all(part.split("\n")[0].split(" | ")[0] in text for part, _ in PARTS)
    assert "[p" not in text.casefold()
