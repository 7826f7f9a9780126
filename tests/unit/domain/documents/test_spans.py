"""Places: pages from 1, boxes, runs of lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from support.cases import each

from citeloom.domain.documents.spans import (
    BBox,
    CharSpan,
    Line,
    PageSpan,
    Region,
    SectionPath,
    regions_of,
    union,
)


@each(("start", "end"), [(3, 1), (0, 1), (0, 0), (-2, 4)])
def test_a_page_span_counts_from_1_and_runs_forwards(start: int, end: int) -> None:
    with pytest.raises(ValidationError):
        PageSpan(start=start, end=end)


def test_a_page_span_may_be_one_page() -> None:
    assert list(PageSpan(start=5, end=5).pages) == [5]


@given(st.lists(st.integers(1, 10_000)))
def test_a_covering_page_span_begins_and_ends_with_the_pages(pages: list[int]) -> None:
    span = PageSpan.covering(pages)
    if not pages:
        assert span is None
    else:
        assert span is not None
        assert span.as_tuple() == (min(pages), max(pages))
        assert set(pages) <= set(span.pages)


@given(st.integers(1, 500), st.integers(0, 500))
def test_a_page_span_lists_each_of_its_pages_once(start: int, more: int) -> None:
    assert len(PageSpan(start=start, end=start + more).pages) == more + 1


@pytest.mark.parametrize(("start", "end"), [(2, 1), (-1, 3)])
def test_a_character_span_runs_forwards_from_0(start: int, end: int) -> None:
    with pytest.raises(ValidationError):
        CharSpan(start=start, end=end)


@pytest.mark.parametrize("segments", [(), ("",), ("Methods", "  ")])
def test_a_section_path_has_no_empty_parts(segments: tuple[str, ...]) -> None:
    with pytest.raises(ValidationError):
        SectionPath(segments=segments)


def test_a_section_path_reads_from_the_outside_in() -> None:
    path = SectionPath(segments=("3 Results", "3.1 Decay"))
    assert str(path) == "3 Results > 3.1 Decay"
    assert path.leaf == "3.1 Decay"


def test_a_region_is_on_a_page_from_1() -> None:
    with pytest.raises(ValidationError):
        Region(page=0, bbox=(0, 0, 1, 1))


BOX = st.tuples(st.floats(0, 500), st.floats(0, 700), st.floats(1, 100), st.floats(1, 100)).map(
    lambda b: (b[0], b[1], b[0] + b[2], b[1] + b[3])
)
LINES = st.lists(st.tuples(st.integers(1, 3), BOX), max_size=12).map(
    lambda found: [
        Line(10 * n, 10 * n + 9, page, box)
        for n, (page, box) in enumerate(sorted(found, key=lambda one: one[0]))
    ]
)


def inside(box: BBox, outer: BBox) -> bool:
    return outer[0] <= box[0] and outer[1] <= box[1] and box[2] <= outer[2] and box[3] <= outer[3]


@given(LINES)
def test_every_line_lies_in_a_region_of_its_page(lines: list[Line]) -> None:
    regions = regions_of(lines)
    for line in lines:
        assert any(r.page == line.page and inside(line.bbox, r.bbox) for r in regions)


@given(LINES)
def test_regions_come_in_reading_order_and_are_never_more_than_lines(lines: list[Line]) -> None:
    regions = regions_of(lines)
    assert [r.page for r in regions] == sorted(r.page for r in regions)
    assert len(regions) <= len(lines)
    assert {r.page for r in regions} == {line.page for line in lines}


@given(LINES)
def test_no_region_is_larger_than_the_lines_it_was_made_of(lines: list[Line]) -> None:
    for region in regions_of(lines):
        here = [line.bbox for line in lines if line.page == region.page]
        assert inside(region.bbox, union(here))
        assert any(line[0] == region.bbox[0] for line in here)
        assert any(line[3] == region.bbox[3] for line in here)


def column(page: int, left: float, tops: list[float]) -> list[Line]:
    return [Line(0, 1, page, (left, top, left + 200, top + 10)) for top in tops]


def test_text_that_goes_on_in_the_next_column_has_two_regions() -> None:
    lines = column(1, 50, [600, 612]) + column(1, 300, [80, 92])
    assert regions_of(lines) == (
        Region(page=1, bbox=(50, 600, 250, 622)),
        Region(page=1, bbox=(300, 80, 500, 102)),
    )


def test_text_that_goes_on_on_the_next_page_is_marked_on_both() -> None:
    lines = column(4, 50, [700]) + column(5, 50, [60])
    assert [r.page for r in regions_of(lines)] == [4, 5]


def test_an_indented_line_stays_in_the_box_of_its_column() -> None:
    lines = [Line(0, 9, 1, (70, 100, 250, 110)), Line(9, 20, 1, (50, 112, 250, 122))]
    assert regions_of(lines) == (Region(page=1, bbox=(50, 100, 250, 122)),)
