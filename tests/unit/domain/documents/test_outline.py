from citeloom.domain.documents.outline import heading_tree


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
