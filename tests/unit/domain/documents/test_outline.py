"""The tree of headings, and headings found in a PDF's outline."""

from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.documents.conversion import Heading, heading_tree


def test_a_section_ends_where_the_next_of_its_level_begins() -> None:
    tree = heading_tree([("One", 1, 0, 1), ("Sub", 2, 10, 1), ("Two", 1, 30, 2)], 50)
    one, two = tree
    assert (one.span.start, one.span.end) == (0, 30)
    assert (one.children[0].span.start, one.children[0].span.end) == (10, 30)
    assert (two.span.start, two.span.end, two.page) == (30, 50, 2)


def test_a_jump_in_levels_nests_under_the_nearest_section_above() -> None:
    (one,) = heading_tree([("One", 1, 0, None), ("Deep", 4, 5, None), ("Less", 3, 9, None)], 20)
    assert [child.title for child in one.children] == ["Deep", "Less"]


def test_a_document_may_begin_below_the_first_level() -> None:
    tree = heading_tree([("Low", 3, 0, None), ("Top", 1, 8, None)], 20)
    assert [h.title for h in tree] == ["Low", "Top"]


def test_no_headings_make_an_empty_tree() -> None:
    assert heading_tree([], 10) == ()


def test_headings_without_a_title_are_passed_over() -> None:
    assert [h.title for h in heading_tree([(" ", 1, 0, None), ("A", 1, 4, None)], 9)] == ["A"]


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
