"""Evidence of a place: nodes and file names, and the boxes of words on a page."""

from pathlib import PurePath

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.cases import each

from citeloom.domain.documents.spans import BBox
from citeloom.domain.errors import InvalidRequest
from citeloom.domain.maps.evidence import (
    PageCharacter,
    box_of_words,
    evidence_name,
    existing_pages,
    place_node,
)
from citeloom.domain.maps.resource_map import Location


def at(*pages: int) -> Location:
    return Location(modality="document", pages=pages)


def test_pages_stay_in_the_order_listed() -> None:
    assert existing_pages(at(3, 1), 3, "p.pdf") == ([3, 1], [])


def test_pages_beyond_the_end_are_told_and_none_at_all_is_refused() -> None:
    assert existing_pages(at(2, 99), 3, "p.pdf") == (
        [2],
        ["p.pdf: no page 99, it has 3; left out"],
    )
    with pytest.raises(InvalidRequest, match=r"p\.pdf: no page 99; it has 3"):
        existing_pages(at(99), 3, "p.pdf")
    with pytest.raises(InvalidRequest, match="no page numbers"):
        existing_pages(Location(modality="document"), 3, "p.pdf")


@each(
    ("location", "node_id", "kind"),
    [
        (at(3, 4, 5), "pages-3-5", "pages"),
        (at(1, 3), "pages-1,3", "pages"),
        (Location(modality="document"), "whole", "document"),
        (Location(modality="text", lines=(2, 9)), "lines-2-9", "lines"),
        (Location(modality="video", start=1.5, end=2), "t-1.5-2", "time"),
        (Location(modality="image", bbox=(0.1, 0, 1, 0.5)), "bbox-0.1,0,1,0.5", "box"),
        (
            Location(modality="virtual", virtual_address="virtual://r#a b/../c"),
            "a-b-.-c",
            "virtual",
        ),
    ],
)
def test_a_place_has_a_node_of_its_own(location: Location, node_id: str, kind: str) -> None:
    node = place_node("r", location, "document")
    assert (node.id, node.type, node.location) == (node_id, kind, location)


def test_a_name_stands_for_source_and_request() -> None:
    name = evidence_name(PurePath("/papers/My paper.pdf"), "pages=3-5", ".pdf", "hash", 1)
    assert name == evidence_name(PurePath("/papers/My paper.pdf"), "pages=3-5", ".pdf", "hash", 1)
    stem, digest, place = name.rsplit("-", 4)[0], name.rsplit("-", 4)[1], name[-14:]
    assert (stem, len(digest), place) == ("My-paper", 16, "-pages-3-5.pdf")
    assert name != evidence_name(PurePath("/papers/My paper.pdf"), "pages=3-5", ".pdf", "hash", 2)


@given(st.text(), st.text())
@example("\U00020000" * 40, "池" * 40)
def test_no_name_leaves_its_folder_or_hides(stem: str, place: str) -> None:
    source = PurePath("/") / (stem.replace("/", "|") or "x")
    name = evidence_name(source, place, ".pdf", "hash")
    assert not set(name) & set('/\\\0:*?"<>|\n\r\t ')
    assert not name.startswith((".", "-"))
    assert len(name.encode()) < 255 - 80


LINE = "Ponds cool, and ponds cool."
BOX: BBox = (10.0, 100.0, 280.0, 112.0)


def characters(text: str = LINE, top: float = 102.0) -> list[PageCharacter]:
    """Each character 10 points wide, from x = 10 on."""
    return [
        PageCharacter(char, (10.0 + 10 * n, top, 20.0 + 10 * n, top + 8))
        for n, char in enumerate(text)
    ]


def box(words: str, nth: int = 0, read: list[PageCharacter] | None = None) -> BBox | None:
    start = -1
    for _ in range(nth + 1):
        start = LINE.index(words, start + 1)
    found = characters() if read is None else read
    return box_of_words(LINE, start, start + len(words), BOX, found)


def test_words_have_the_height_of_the_line_and_their_own_width() -> None:
    assert box("cool,") == (70.0, 100.0, 120.0, 112.0)


def test_of_words_that_stand_twice_those_meant_are_boxed() -> None:
    assert box("ool", nth=1) == (240.0, 100.0, 270.0, 112.0)


def test_punctuation_is_boxed_where_it_is_quoted() -> None:
    assert box("cool.") == (230.0, 100.0, 280.0, 112.0)
    assert box("cool", nth=1) == (230.0, 100.0, 270.0, 112.0)


def test_other_lines_of_the_page_do_not_count() -> None:
    assert box("cool,", read=[*characters("cool, elsewhere", 300.0), *characters()]) == (
        70.0, 100.0, 120.0, 112.0,
    )  # fmt: skip


def test_a_reading_with_ligatures_and_other_blanks_is_the_same() -> None:
    line = "The first office"
    read = characters("The ﬁrst   oﬃce")
    assert box_of_words(line, 4, 9, BOX, read) == (50.0, 100.0, 90.0, 112.0)


@pytest.mark.parametrize("text", ["", "Pxnds cxxl, and pxnds cxxl.", "Ponds cool and cool ponds"])
def test_what_the_page_does_not_tell_is_not_guessed(text: str) -> None:
    assert box("cool", read=characters(text)) is None


def test_words_that_another_reading_has_once_are_found_in_it() -> None:
    assert box("and", read=characters("Ponds coo1, and ponds coo1.")) == (
        130.0, 100.0, 160.0, 112.0,
    )  # fmt: skip


def test_in_a_line_that_runs_down_the_page_words_have_its_width() -> None:
    down = [
        PageCharacter(char, (102.0, 10.0 + 10 * n, 110.0, 20.0 + 10 * n))
        for n, char in enumerate(LINE)
    ]
    line_box = (100.0, 10.0, 112.0, 280.0)
    assert box_of_words(LINE, 6, 11, line_box, down) == (100.0, 70.0, 112.0, 120.0)
