from collections.abc import Sequence

import pytest
from support.pdf.page_lines import SIZE, line, prose

from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import TextLine
from citeloom.infrastructure.ingest.conversion.pdf.lines.running_heads import (
    EdgeRow,
    edge_rows,
    furniture_rows,
)

HEIGHT = 800.0


def _page(page: int, head: str | None, foot: str | None, first: float = 100.0) -> list[EdgeRow]:
    rows: list[TextLine] = []
    if head is not None:
        rows.append(line(head, base=60.0, page=page))
    rows += prose(50, base=first, page=page)
    if foot is not None:
        rows.append(line(foot, base=770.0, page=page))
    return edge_rows(rows, page, HEIGHT)


def _found(pages: Sequence[list[EdgeRow]]) -> set[str]:
    edges = [edge for page in pages for edge in page]
    marked = furniture_rows(edges, len(pages), SIZE)
    return {e.line.text for e in edges if (e.page, e.order, e.top) in marked}


def test_heads_and_feet_that_repeat_are_furniture_whatever_their_numbers() -> None:
    pages = [_page(i, "Lines and Columns", f"Journal 7(77), {i}") for i in range(1, 5)]
    assert _found(pages) == {"Lines and Columns", *(f"Journal 7(77), {i}" for i in range(1, 5))}


def test_heads_that_alternate_are_furniture() -> None:
    heads = ["A. Author", "A Long Title"]
    pages = [_page(i, f"{i} {heads[i % 2]}", None) for i in range(1, 9)]
    assert len(_found(pages)) == 8


def test_page_numbers_in_roman_figures_are_furniture() -> None:
    pages = [_page(i, None, numeral) for i, numeral in enumerate(["i", "ii", "iii"], start=1)]
    assert _found(pages) == {"i", "ii", "iii"}


def test_changing_heads_set_apart_at_one_height_are_furniture() -> None:
    heads = [
        "Introduction",
        "The First Part",
        "What Was Found",
        "Some Limits",
        "An End",
        "Notes on It",
    ]
    pages = [_page(i, head, None) for i, head in enumerate(heads, start=1)]
    assert _found(pages) == set(heads)


def test_a_single_page_keeps_its_text_but_gives_up_its_number() -> None:
    assert _found([_page(1, "A Title Alone", "17")]) == {"17"}


def test_words_that_repeat_inside_the_text_are_no_furniture() -> None:
    pages = []
    for i, title in enumerate(["Scope", "Terms", "Payment"], start=1):
        rows = [line(f"Agreement, page {i}", base=40.0, page=i), line(title, base=70.0, page=i)]
        rows += [line("This clause has no weight.", base=85.0, page=i), *prose(40, page=i)]
        pages.append(edge_rows(rows, i, HEIGHT))
    assert _found(pages) == {f"Agreement, page {i}" for i in (1, 2, 3)}


def test_a_row_that_prints_the_number_of_its_page_is_furniture() -> None:
    edges = _page(1, "Of Wells 12", None)
    assert furniture_rows(edges, 1, SIZE) == set()
    assert furniture_rows(edges, 1, SIZE, {(1, 0, True)}) == {(1, 0, True)}


def test_two_different_heads_of_a_short_document_are_furniture() -> None:
    pages = [
        _page(1, None, "i"),
        _page(2, None, "1"),
        _page(3, "ADA AUTHOR", "2"),
        _page(4, "THE UNHURRIED PAGE", "3"),
    ]
    assert {"ADA AUTHOR", "THE UNHURRIED PAGE"} <= _found(pages)


def test_first_lines_as_high_as_other_pages_text_are_no_heads() -> None:
    pages = [_page(1, None, "1", first=60.0), _page(2, "Two words", "2"), _page(3, "More", "3")]
    assert _found(pages) == {"1", "2", "3"}


def test_a_head_that_stands_once_is_known_by_the_height_of_the_others() -> None:
    pages = [_page(i, "A. Author", str(i)) for i in (1, 2)] + [_page(3, "The Short Title", "3")]
    assert "The Short Title" in _found(pages)


def test_all_lines_of_a_foot_in_small_type_are_furniture_where_one_repeats() -> None:
    pages = []
    for i in range(1, 11):
        upper = line(f"An Author et al. {'abcdefghij'[i - 1]} title", base=760.0, page=i, size=6.0)
        lower = line("Journal 5(49), 118.", base=767.0, page=i, size=6.0)
        rows = [*prose(40, base=100.0, page=i), upper, lower]
        pages.append(edge_rows(rows, i, HEIGHT))
    assert len(_found(pages)) == 11


def test_text_as_high_as_the_heads_of_other_pages_keeps_them_in_the_text() -> None:
    heads = ["The First Part", "What Was Found", "Some Limits"]
    pages = [_page(i, head, None) for i, head in enumerate(heads, start=1)]
    assert _found(pages) == set(heads)
    assert _found([*pages, _page(4, None, None, first=100.0)]) == set(heads)
    assert _found([*pages, _page(4, None, None, first=40.0)]) == set()


@pytest.mark.timeout(120)  # a look at each page from each other one takes longer
def test_a_book_of_thousands_of_pages_is_judged() -> None:
    pages = [
        edge_rows([line(f"Head of chapter {i // 9}", base=60.0, page=i), *prose(5, page=i)], i, 800)
        for i in range(1, 4001)
    ]
    assert len(_found(pages)) == 445


def _numbers(count: int, printed: Sequence[int]) -> list[list[EdgeRow]]:
    pages = []
    for page in range(1, count + 1):
        rows = prose(40, base=100.0, page=page)
        rows.append(line(str(printed[page - 1]), base=670.0, page=page))
        pages.append(edge_rows(rows, page, HEIGHT))
    return pages


def test_page_numbers_may_stand_well_inside_the_page() -> None:
    assert _found(_numbers(4, [7, 8, 9, 10])) == {"7", "8", "9", "10"}


def test_a_number_inside_the_page_alone_is_the_texts_own() -> None:
    assert _found(_numbers(1, [7])) == set()


def test_the_title_is_no_running_head_though_these_repeat_it() -> None:
    first = [line("A Long Title", base=75.0, size=14.0), *prose(40, base=120.0)]
    pages = [edge_rows(first, 1, HEIGHT), *(_page(i, "A Long Title", None) for i in range(2, 9))]
    marked = furniture_rows([edge for page in pages for edge in page], 8, SIZE)
    assert {page for page, _, top in marked if top} == set(range(2, 9))


def test_the_number_of_a_page_may_be_close_to_its_text() -> None:
    body = prose(50, base=100.0, page=1)
    rows = [*body, line("5", base=body[-1].base + 8.0, page=1)]
    edges = edge_rows(rows, 1, body[-1].base + 40.0)
    keys = {(e.page, e.order, e.top) for e in edges if e.line.text == "5"}
    assert furniture_rows(edges, 1, SIZE, keys) == keys
    assert furniture_rows(edges, 1, SIZE) == set()
