"""Bounds of a conversion, its sections and its page labels."""

import pytest
from pydantic import ValidationError
from support.builders import Part, a_document, a_heading, heading, paragraph
from support.cases import each

from citeloom.domain.documents.conversion import (
    Block,
    BlockLabel,
    ConversionResult,
    PageEntry,
    Structure,
)
from citeloom.domain.documents.spans import CharSpan


@pytest.mark.parametrize("missing", ["page_map", "heading_tree"])
def test_a_structure_states_both_headings_and_pages_even_if_there_are_none(missing: str) -> None:
    given_ = {"page_map": (), "heading_tree": ()}
    del given_[missing]
    with pytest.raises(ValidationError, match=missing):
        Structure.model_validate(given_)


def test_a_conversion_refuses_places_outside_its_text() -> None:
    beyond = CharSpan(start=0, end=9)
    nothing = Structure(heading_tree=(), page_map=())
    with pytest.raises(ValidationError, match="after the text's end"):
        ConversionResult(
            doc_id="d",
            structure=nothing,
            plain_text="short",
            blocks=(Block(label=BlockLabel.TEXT, span=beyond),),
        )
    with pytest.raises(ValidationError, match="page 1"):
        ConversionResult(
            doc_id="d",
            structure=Structure(heading_tree=(), page_map=(PageEntry(page=1, spans=(beyond,)),)),
            plain_text="short",
        )


STRUCTURE = Structure(
    heading_tree=(
        a_heading("1 A", 1, 10, 60, a_heading("1.1 B", 2, 20, 40, a_heading("1.1.1 C", 3, 30, 40))),
        a_heading("2 D", 1, 60, 90),
    ),
    page_map=(PageEntry(page=1, label="i"), PageEntry(page=2), PageEntry(page=4, label="1")),
)


@each(
    ("offset", "path"),
    [
        (0, None),
        (10, ("1 A",)),
        (20, ("1 A", "1.1 B")),
        (30, ("1 A", "1.1 B", "1.1.1 C")),
        (40, ("1 A",)),
        (60, ("2 D",)),
        (90, None),
    ],
)
def test_a_place_is_in_the_sections_that_hold_its_offset(
    offset: int, path: tuple[str, ...] | None
) -> None:
    found = STRUCTURE.section_path_at(offset)
    assert (found.segments if found else None) == path


def test_a_page_label_is_looked_up_by_page_number_not_by_position() -> None:
    assert [STRUCTURE.label_of(page) for page in (1, 2, 3, 4, 5)] == ["i", None, None, "1", None]


def test_a_result_stored_before_venues_were_read_has_none() -> None:
    stored = '{"doc_id": "d", "structure": {"heading_tree": [], "page_map": []}, "plain_text": ""}'
    loaded = ConversionResult.model_validate_json(stored)
    assert (loaded.container_title, loaded.volume, loaded.issue, loaded.pages) == (None,) * 4
    assert loaded.uncertain == ()


def test_a_paragraph_is_counted_in_its_section() -> None:
    parts = [
        heading("1 One"),
        paragraph("A."),
        Part(BlockLabel.TABLE, "a | b"),
        paragraph("B."),
        Part(BlockLabel.LIST_ITEM, "b"),
        heading("2 Two"),
        heading("2.1 Three", 2),
        paragraph("C."),
    ]
    document = a_document(parts)
    assert [document.paragraph_at(n) for n in range(len(parts))] == [1, 1, 1, 2, 2, 1, 1, 1]
    assert [a_document(parts[1:4]).paragraph_at(n) for n in range(3)] == [1, 1, 2]
