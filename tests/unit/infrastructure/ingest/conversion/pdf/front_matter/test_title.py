from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st
from support.cases import each
from support.pdf.page_lines import STYLE, flow, line, prose

from citeloom.infrastructure.ingest.conversion.pdf.front_matter.bibliography import resolve_title
from citeloom.infrastructure.ingest.conversion.pdf.front_matter.title import (
    TitleEvidence,
    find_title,
)
from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import TextLine

NO_HEADS: frozenset[int] = frozenset()
Row = tuple[str, float]  # text and size


def _page(rows: Sequence[Row]) -> list[TextLine]:
    """Rows 1.4 of their size apart, then prose."""
    base, lines = 80.0, []
    for text, size in rows:
        base += 1.4 * size
        lines.append(line(text, base=base, size=size))
    return [*lines, *prose(6, base=base + 60)]


def _title(rows: Sequence[Row], evidence: TitleEvidence = TitleEvidence()) -> str:
    placed = flow(_page(rows))
    return " ".join(
        placed[i].line.text for i in find_title(placed, STYLE, NO_HEADS, evidence).title
    )


def test_title_and_authors_stand_before_the_abstract() -> None:
    lines = [
        line("A Title in Large Type", base=100.0, size=14.0),
        line("that has a second line", base=120.0, size=14.0),
        line("Ada Author, Ben Writer", base=150.0, size=9.0),
        line("Abstract", base=190.0, bold=True),
        *prose(6, base=210.0),
    ]
    found = find_title(flow(lines), STYLE, frozenset({3}))
    assert (found.title, found.authors) == ((0, 1), (2,))


def test_names_and_places_on_a_title_page_are_no_headings() -> None:
    page = [
        line("A Title in Large Type", base=100.0, size=14.0),
        line("Ada Author", base=150.0, size=10.0),
        line("University of Nowhere", base=164.0, size=10.0),
        line("2 May 2021", base=190.0, size=10.0),
    ]
    found = find_title(flow(page, prose(6, page=2)), STYLE, frozenset({1, 2}))
    assert (found.title, found.authors) == ((0,), (1, 2, 3))


def test_a_title_goes_on_in_words_that_could_be_a_name() -> None:
    sides = [("Ada Author", 50.0, 100.0), ("Ben R. Writer", 150.0, 210.0)]
    sides.append(("Cy Painter", 260.0, 320.0))
    names = " ".join(text for text, *_ in sides)
    lines = [
        line("The Looms of the North: A Platform for", base=100.0, size=16.0, bold=True),
        line("Internet Applications", base=121.0, size=16.0, bold=True),
        line(names, base=140.0, size=10.0, pieces=sides),
        line("Abstract", base=190.0, bold=True),
        *prose(6, base=210.0),
    ]
    evidence = TitleEvidence.of([], "archive__the-looms-of-the-north")
    assert find_title(flow(lines), STYLE, frozenset({3}), evidence).title == (0, 1)


def test_a_session_printed_beside_the_title_is_not_its_beginning() -> None:
    lines = [
        line("Session 8 Formalisms for", base=90.0, x0=400.0),
        line("Artificial Intelligence", base=100.0, x0=400.0),
        line("A Universal Modular Formalism", base=107.0, x0=150.0),
        line("for Artificial Intelligence", base=116.0, x0=155.0),
        line("Carl Hewett", base=125.0, x0=190.0),
        line("Peter Bischof", base=134.0, x0=190.0),
        *prose(6, base=170.0),
    ]
    evidence = TitleEvidence.of([], "a-universal-modular-formalism-for-artificial-intelligence")
    assert find_title(flow(lines), STYLE, NO_HEADS, evidence).title == (2, 3)


def test_a_note_above_the_title_is_not_the_title_when_the_metadata_know_better() -> None:
    lines = [
        line("Permission is granted to reproduce this", base=80.0, size=14.0),
        line("The Real Title", base=120.0, size=12.0),
        *prose(6, base=210.0),
    ]
    evidence = TitleEvidence.of(["The Real Title"])
    assert find_title(flow(lines), STYLE, frozenset(), evidence).title == (1,)


@each(
    ("rows", "title"),
    [
        ([("A Note on Distributed Computing", 16), ("Jim Waldo", 11)], 0),
        ([("Ideal Hash Trees", 14), ("Phil Bagwell", 10)], 0),
        ([("Journal of Lines, Vol. 3, 1999", 9), ("On Lines and Pages", 12), ("A. B. See", 8)], 1),
        ([("Technical Report 17", 12), ("On Lines and Pages", 12), ("A. B. See", 8)], 1),
        ([("arXiv:1601.04920v1 [cs.DL] 1 Jan 2016", 14), ("On Lines and Pages", 12)], 1),
        ([("On Lines and Pages", 12), ("see@lines.example", 14), ("University of Lines", 9)], 0),
        ([("University of Lines", 12), ("On Lines and Pages", 14), ("Ada See, Bo Loom", 9)], 1),
        ([("12 March 2001", 12), ("On Lines and Pages", 11), ("A. B. See", 8)], 1),
    ],
)
def test_the_title_is_told_from_what_stands_around_it(rows: list[Row], title: int) -> None:
    assert _title(rows) == rows[title][0]


def test_an_article_at_the_beginning_is_no_letter_of_an_appendix() -> None:
    placed = flow(_page([("A Mathematical Theory of Lines", 14), ("C. E. See", 8)]))
    assert find_title(placed, STYLE, frozenset({0})).title == (0,)


@each(
    "title",
    [
        "Abstract Interpretation of Lines",
        "Summary Structures for Lines",
        "Amazon.com Recommendations by Lines",
        "Supervised Learning of Lines",
        "C Programming",
        "Privacy Search, Efficient Indexing, and Query Lines",
        "Copyright in the Age of Lines",
    ],
)
def test_a_title_may_begin_like_what_is_none(title: str) -> None:
    assert _title([(title, 14), ("Ada See", 10)]) == title


def test_a_line_of_the_title_that_a_gutter_cuts_is_whole() -> None:
    left = [
        line("Chain Lines for Supporting", base=100.0, x0=150.0, x1=420.0, size=14.0),
        line("High Throughput", base=120.0, x0=150.0, x1=300.0, size=14.0),
        line("Robbert See", base=150.0, x0=150.0, x1=250.0),
    ]
    right = [
        line("and Availability", base=120.0, x0=306.0, x1=420.0, size=14.0),
        line("Fred B. Loom", base=150.0, x0=330.0, x1=420.0),
    ]
    found = find_title(flow(left, right, prose(6, base=220.0)), STYLE, NO_HEADS)
    assert (found.title, found.authors) == ((0, 1, 3), (2, 4))


def test_authors_above_the_right_column_are_authors() -> None:
    top = [line("On Lines and Pages", base=80.0, size=14.0)]
    left = [
        line("Ada See", base=110.0, size=9.0),
        line("Abstract", base=150.0, bold=True),
        *prose(6, base=170.0),
    ]
    right = [line("Bo Loom", base=110.0, x0=400.0, size=9.0), *prose(6, base=170.0, x0=400.0)]
    assert find_title(flow(top, left, right), STYLE, NO_HEADS).authors == (1, 9)


def test_prose_beside_the_authors_is_not_theirs() -> None:
    left = [
        line("On Lines and Pages", base=80.0, size=14.0),
        line("Ada See", base=110.0),
        line("Key words: lines, pages", base=150.0),
        *prose(6, base=200.0),
    ]
    found = find_title(flow(left, prose(10, base=90.0, x0=400.0)), STYLE, NO_HEADS)
    assert found.authors == (1, 2)


def test_an_abstract_in_small_type_ends_the_authors() -> None:
    abstract = [one._replace(size=0.8 * one.size) for one in prose(4, base=120.0)]
    rows = [line("On Lines", base=80.0, size=14.0), line("Ada See", base=100.0), *abstract]
    assert find_title(flow([*rows, *prose(6, base=220.0)]), STYLE, NO_HEADS).authors == (1,)
    notice = [one._replace(size=0.8 * one.size) for one in prose(3, base=40.0)]
    found = find_title(flow([*notice, *rows, *prose(6, base=220.0)]), STYLE, NO_HEADS)
    assert (found.title, found.authors) == ((3,), (4,))


def test_a_society_on_a_cover_is_no_title() -> None:
    cover = [
        line("USENIX Association", base=200.0, size=16.0),
        line("THE ADVANCED LINE SYSTEMS ASSOCIATION", base=400.0, size=12.0),
    ]
    page = [
        line("On Lines and Pages", base=100.0, size=14.0, page=2),
        line("Ada See", base=130.0, page=2),
        *prose(6, 160.0, page=2),
    ]
    assert find_title(flow(cover, page), STYLE, NO_HEADS).title == (2,)


def test_lines_of_one_font_are_one_title_whatever_their_letters_height() -> None:
    rows = [("Selectivity and Backup Operators in", 12.7), ("Monte-Carlo Tree Search", 10.0)]
    lines = [
        line(text, base=100.0 + 15 * at, size=size, bold=True)
        for at, (text, size) in enumerate(rows)
    ]
    placed = flow([*lines, line("Remi See", base=150.0), *prose(6, base=200.0)])
    assert find_title(placed, STYLE, NO_HEADS).title == (0, 1)


def test_small_print_beside_a_title_does_not_break_it() -> None:
    lines = [
        line("A Program Optimization for", base=95.0, size=16.0),
        line("* Complete", base=100.0, size=10.0, x0=400.0),
        line("Automatic Result Caching", base=115.0, size=16.0),
        line("Ziv See", base=140.0, size=9.0),
        *prose(6, base=200.0),
    ]
    assert find_title(flow(lines), STYLE, NO_HEADS).title == (0, 2)


def test_a_byline_in_the_titles_type_is_no_part_of_it() -> None:
    rows = [
        ("END-TO-END ARGUMENTS IN SYSTEM DESIGN", 9.0),
        ("J.H. See, D.P. Loom and D.D. Line*", 9.0),
    ]
    assert _title(rows) == rows[0][0]


def test_the_file_name_chooses_between_lines_in_the_type_of_the_text() -> None:
    rows = [
        ("Artificial Intelligence Project--RLE and MIT Computation Center", 8.0),
        ("The Garbage Collector of the Second LISP", 8.0),
        ("Daniel J. See", 8.0),
    ]
    named = TitleEvidence.of([], "the-garbage-collector-of-the-second-lisp")
    assert _title(rows, named) == rows[1][0]


def test_a_subtitle_in_smaller_type_is_part_of_a_title_that_goes_on() -> None:
    rows = [
        ("The PageRank Citation Ranking:", 14.0),
        ("Bringing Order to the Web", 9.9),
        ("A. B. See", 8.0),
    ]
    assert _title(rows) == f"{rows[0][0]} {rows[1][0]}"


def test_a_line_below_a_title_that_is_complete_is_no_subtitle() -> None:
    rows = [("On the Ranking of Citations", 14.0), ("Stanford Digital Library Project", 9.9)]
    assert _title(rows) == rows[0][0]


def test_a_cover_without_title_leaves_it_to_the_next_page() -> None:
    cover = [line("See Laboratories", base=300.0, size=8.0)]
    page = [line("On Lines and Pages", base=100.0, size=14.0, page=2), *prose(6, 160.0, page=2)]
    assert find_title(flow(cover, page), STYLE, NO_HEADS).title == (1,)


@each(
    ("above", "authors"),
    [("Ada Loom", (0,)), ("Lecture Notes", ()), ("Ada Words", ()), ("Words Loom", ())],
)
def test_a_name_above_the_title_is_the_author_if_none_stands_below(
    above: str, authors: tuple[int, ...]
) -> None:
    notes = line("words and notes of a lecture", base=400.0)
    placed = flow([*_page([(above, 10.0), ("On the Meanings of Lines", 14.0)]), notes])
    assert find_title(placed, STYLE, NO_HEADS).authors == authors


@each(
    ("last", "title"),
    [
        ("1914\u20131918", (0, 1)),
        ("to 1889", (0, 1)),
        ("North, 1914\u20131918", (0, 1)),
        ("North, 1881 to 1934", (0, 1)),
        ("May 1994", (0,)),
        ("12", (0,)),
    ],
)
def test_years_end_a_title(last: str, title: tuple[int, ...]) -> None:
    placed = flow(_page([("Letters to the Looms of the", 17.0), (last, 17.0)]))
    assert find_title(placed, STYLE, NO_HEADS).title == title


def test_a_repositorys_note_on_its_cover_does_not_begin_the_text() -> None:
    note = (
        "See discussions, stats, and author profiles for this publication at the archive of lines"
    )
    cover = [
        line(note, base=80.0),
        line("The Looms of the North", base=110.0, size=14.0),
        line("Ada Author", base=150.0),
    ]
    assert find_title(flow(cover, prose(6, page=2)), STYLE, NO_HEADS).title == (1,)


def test_a_line_like_the_text_without_names_below_it_is_no_title() -> None:
    lines = [line("This page has one line", base=100.0), line("and another one", base=112.0)]
    assert find_title(flow(lines), STYLE, NO_HEADS).title == ()


def test_running_text_alone_has_no_title() -> None:
    assert find_title(flow(prose(20)), STYLE, NO_HEADS).title == ()


WORD = st.sampled_from(
    ["On", "Lines", "and", "Pages", "ada@lines.example", "https://lines.example"]
)


@given(
    rows=st.lists(
        st.tuples(st.lists(WORD, min_size=1, max_size=6).map(" ".join), st.floats(7, 20)),
        min_size=1,
        max_size=6,
    ),
    stated=st.lists(WORD, max_size=4).map(" ".join),
)
def test_no_title_has_an_address(rows: list[Row], stated: str) -> None:
    evidence = TitleEvidence.of([stated], "lines-and-pages")
    title = resolve_title(_title(rows, evidence), evidence, frozenset({"lines", "pages"}))
    assert title is None or ("@" not in title and "://" not in title)


def test_authors_of_a_cover_that_lists_some_are_those_of_the_next_page() -> None:
    cover = [
        line("On Lines and Their Pages", base=100.0, size=16.0),
        line("Ada Loom", base=150.0, size=10.0),
        line("University of Nowhere", base=164.0, size=10.0),
    ]
    first = [
        line("On Lines and Their Pages", base=100.0, size=14.0, page=2),
        line("Ada Loom, Bo Dent", base=150.0, size=9.0, page=2),
        line("Abstract", base=190.0, bold=True, page=2),
        *prose(6, base=210.0, page=2),
    ]
    found = find_title(flow(cover, first), STYLE, frozenset({5}))
    assert (found.title, found.authors) == ((3,), (4,))


def test_a_long_list_of_names_without_text_below_it_is_all_authors() -> None:
    names = "Ada Author, Ben Writer, Cy Painter and Di"
    rows = [line(names, base=150.0 + 12 * i, size=10.0) for i in range(30)]
    page = [line("On Lines and Their Pages", base=100.0, size=16.0), *rows]
    found = find_title(flow(page, prose(6, page=2)), STYLE, NO_HEADS)
    assert found.authors == tuple(range(1, 31))


def test_a_name_below_a_title_in_the_type_of_the_text_is_an_author() -> None:
    page = [
        line("A History of the Replication Model", base=80.0, bold=True),
        line("Ada Loom", base=92.0, bold=True),
        line("Introduction", base=116.0, bold=True),
        *prose(6, base=128.0),
    ]
    found = find_title(flow(page), STYLE, frozenset({2}))
    assert (found.title, found.authors) == ((0,), (1,))


def test_markup_in_a_title_of_the_metadata_is_left_out() -> None:
    evidence = TitleEvidence.of(['Lines: <Emphasis Type="Italic">A study</Emphasis>'])
    assert evidence.titles == ("Lines: A study",)
