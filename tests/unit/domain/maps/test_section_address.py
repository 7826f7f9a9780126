"""Addresses of fragments, sections at an offset, headings as a tree."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.builders import DOC_ID, a_heading

from citeloom.domain.documents.conversion import Heading, PageEntry, Structure
from citeloom.domain.documents.outline import heading_tree
from citeloom.domain.maps.address import chunk_address, document_address, pages_fragment, short_id


def read(fragment: str) -> list[int]:
    pages: list[int] = []
    for part in fragment.split(","):
        first, _, last = part.partition("-")
        pages += range(int(first), int(last or first) + 1)
    return pages


@given(st.lists(st.integers(1, 60), min_size=1))
def test_a_fragment_names_exactly_the_pages_it_was_made_of(pages: list[int]) -> None:
    assert read(pages_fragment(pages)) == sorted(set(pages))


@given(st.lists(st.integers(1, 60), min_size=1))
def test_the_same_pages_have_one_fragment(pages: list[int]) -> None:
    fragment = pages_fragment(pages)
    assert fragment == pages_fragment(read(fragment)) == pages_fragment(reversed(pages))


@pytest.mark.parametrize(
    ("pages", "fragment"),
    [([3, 4, 5], "3-5"), ([5], "5"), ([1, 3, 4], "1,3-4"), ([4, 3, 3], "3-4"), ([2, 4], "2,4")],
)
def test_runs_of_pages_are_collapsed(pages: list[int], fragment: str) -> None:
    assert pages_fragment(pages) == fragment


def test_no_pages_have_no_fragment() -> None:
    with pytest.raises(ValueError, match="cannot be empty"):
        pages_fragment([])


def test_a_chunk_is_addressed_by_its_pages_or_else_by_its_number() -> None:
    assert chunk_address(DOC_ID, range(3, 6), 7) == f"doc://{DOC_ID[:16]}#pages=3-5"
    assert chunk_address(DOC_ID, None, 7) == f"virtual://{DOC_ID[:16]}#chunk=7"
    assert document_address(DOC_ID, [2]) == f"doc://{short_id(DOC_ID)}#pages=2"


STRUCTURE = Structure(
    heading_tree=(
        a_heading("1 A", 1, 10, 60, a_heading("1.1 B", 2, 20, 40, a_heading("1.1.1 C", 3, 30, 40))),
        a_heading("2 D", 1, 60, 90),
    ),
    page_map=(PageEntry(page=1, label="i"), PageEntry(page=2), PageEntry(page=4, label="1")),
)


@pytest.mark.parametrize(
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


def shape(tree: tuple[Heading, ...]) -> list[object]:
    return [[h.title, h.span.start, h.span.end, *shape(h.children)] for h in tree]


def test_headings_nest_by_level_also_where_levels_are_skipped() -> None:
    flat = [("A", 1, 0, 1), ("A.x", 3, 10, 1), ("A.y", 2, 20, 1), ("B", 1, 30, 2)]
    assert shape(heading_tree(flat, 50)) == [
        ["A", 0, 30, ["A.x", 10, 20], ["A.y", 20, 30]],
        ["B", 30, 50],
    ]


HEADERS = st.lists(st.integers(1, 5), max_size=12).map(
    lambda levels: [(f"h{n}", level, 10 * n, None) for n, level in enumerate(levels)]
)


@given(HEADERS)
def test_every_heading_is_in_the_tree_once_and_within_its_parent(
    headers: list[tuple[str, int, int, None]],
) -> None:
    tree = heading_tree(headers, 10 * len(headers) + 5)
    walked = [h for top in tree for h in top.walk()]
    assert [h.title for h in walked] == [title for title, *_ in headers]
    for parent in walked:
        for child in parent.children:
            assert parent.level < child.level
            assert parent.span.start <= child.span.start
            assert child.span.end <= parent.span.end
