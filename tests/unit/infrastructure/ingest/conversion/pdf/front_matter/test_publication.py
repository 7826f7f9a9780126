from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from citeloom.infrastructure.ingest.conversion.pdf.front_matter.publication import (
    Venue,
    publication_year,
    venue_of,
)


@each(
    ("rows", "year"),
    [
        (["Copyright 1998 by the authors", "June 2001"], 1998),
        (["\u00a9 1982 ACM 0-89791-065-6/82/001/0207 $00.75"], 1982),
        (["0 ACM 0004-5411/85/0400-0374 $00.75"], 1985),
        (["Journal of Lines, August 2014, Volume 59"], 2014),
        (
            ["Reprinted from The Technical Journal, Vol. 27, pp. 379-423, July, October, 1948."],
            1948,
        ),
        (["To appear in PLDI\u201908"], 2008),
        (["August 19th, 2012"], 2012),
        (["Okafor, (2018). On Ponds. Journal of Pools, 1(2), 16."], 2018),
        (["Submitted: 26 April 2017 Published: 04 July 2018"], 2018),
        (["June 30, 1905"], 1905),
        (["2012"], 2012),
        (["Universit\u00e4t der Linien, im M\u00e4rz 2018"], 2018),
        (["See also Pond Review (1956) 63, 81-97.", "Published online 3 May 2017"], 2017),
        (["See also Pond Review (1956) 63:81-97.", "Published online 3 May 2017"], 2017),
        (["arXiv:1601.04920v1 [stat.ML] 19 Jan 2016"], 2016),
        (["arXiv:1706.03762v7 [cs.CL] 2 Aug 2023"], 2017),  # of the first version
        (
            [
                "Based on a lecture at the Institute in July, 2004.",
                "arXiv:math/0501170v3 25 Jan 2005",
            ],
            2005,
        ),
        (["Revised in July 2004"], 2004),
        (["Lines and Pages 321 (2004) 5 \u2013 12", "c 2003 Loom B.V. All rights reserved."], 2004),
        (["c 2000 Loom Academic Publishers"], 2000),
        (["Copyright c 2008 ACM"], 2008),
        (["Copyright Ada Loom c 2014"], 2014),
        (["Permanent ID of this document: 99a9. Date: 2016.05.11."], 2016),
        (["Proceedings of the 20th Conference on Lines", "Oslo, Norway, 1994"], 1994),
        (["Received 15 August 2002; in revised form 2 May 2003"], None),
        (["Downloaded from orbit.example on: Aug 15, 2016", "Janvier 2011"], 2011),
        (["Ada Loom", "Room 1984, Line Street"], None),
        ([], None),
    ],
)
def test_the_year_is_that_of_the_strongest_evidence(rows: list[str], year: int | None) -> None:
    assert publication_year(rows).year == year


def test_a_file_is_not_made_long_before_its_publication() -> None:
    assert publication_year(["June 2031"], "D:20120304").year is None
    assert publication_year(["To appear in June 2013"], "D:20120304").year == 2013


def test_the_year_of_the_file_is_no_year_of_publication() -> None:
    assert publication_year(["Ada Loom"], "D:20030304").year is None


@each(
    ("rows", "created", "sure"),
    [
        (["Lines and Pages 321 (2004) 5\u201312"], None, True),
        (["\u00a9 1985 ACM 0734-2071/85/0200-0063", "Lines, Vol. 3, February 1985"], None, True),
        (["Copyright 1998 by the authors"], None, False),
        (["Copyright 1998 by the authors"], "D:19981120", True),
        (["November 4, 2004"], "D:20050804003242", True),
        (["June 21, 2004"], "D:20040621111048+01'00'", False),  # set by the program that made it
        (["January 29, 1998"], "D:20080101", False),
        (["Copyright 1998 Loom", "\u00a9 1998 Dent", "Journal of Lines, May 2007"], None, False),
    ],
)
def test_a_year_is_sure_if_a_second_source_agrees_and_none_disagrees(
    rows: list[str], created: str | None, sure: bool
) -> None:
    assert publication_year(rows, created).sure is sure


@each(
    ("rows", "venue"),
    [
        (
            ["ACM Transactions on Lines, Vol. 3, No. 1, February 1985, Pages 63-75."],
            Venue("ACM Transactions on Lines", "3", "1", "63-75", 1985, True),
        ),
        (
            ["IEEE/ACM TRANSACTIONS ON LINES, VOL. 17, NO. 2, APRIL 2009 459"],
            Venue("IEEE/ACM TRANSACTIONS ON LINES", "17", "2", None, 2009, True),
        ),
        (
            ["A. Loom, B. Dent / Theoretical Lines 321 (2004) 5 \u2013 12"],
            Venue("Theoretical Lines", "321", None, "5-12", 2004, True),
        ),
        (
            ["Higher-Order and Symbolic Lines, 13, 11\u201349, 2000"],
            Venue("Higher-Order and Symbolic Lines", "13", None, "11-49", 2000, True),
        ),
        (["J. Lines (1988) 1: 65-75"], Venue("J. Lines", "1", None, "65-75", 1988, True)),
        (
            ["Jl. of Lines (2008) 19(2), 65-75"],
            Venue("Jl. of Lines", "19", "2", "65-75", 2008, True),
        ),
        (
            [
                "Loom, (2018). On Ponds. Journal of Open 1",
                "Pools, 1(2), 16. https://doi.org/10.1/x",
            ],
            Venue("Journal of Open Pools", "1", "2", "16", None, True),
        ),
        (
            [
                "333 Communications June 1975",
                "of Volume 18",
                "the ACM Number 6",
                "334 Communications",
            ],
            Venue("Communications of the ACM", "18", "6", None, None, True),
        ),
        (
            ["August 2014, Volume 59, Issue 10.", "Journal of Linear Software 3"],
            Venue("Journal of Linear Software", "59", "10", None, 2014, False),
        ),
        (
            [
                "To appear in Proceedings of the 10th Symposium on Networked",
                "Lines (NL\u201913), Oslo",
            ],
            Venue("Proceedings of the 10th Symposium on Networked Lines (NL\u201913)"),
        ),
        (
            ["Proceedings of the 17th Conference on Lines, pages 1650\u20131669", "May 2-6, 2023"],
            Venue("Proceedings of the 17th Conference on Lines", pages="1650-1669"),
        ),
        (["Published in the Proceedings of OSDI 2012 1", "2"], Venue("Proceedings of OSDI 2012")),
        (["SOSP\u201903, October 19\u201322, 2003, Oslo"], Venue("SOSP \u201903")),
        (
            ["31st Conference on Linear Systems (LS 2017), Long Beach, CA, USA."],
            Venue("31st Conference on Linear Systems (LS 2017)"),
        ),
        (["ACM Computing Lines, Vol. V, No. N, Month 20YY."], Venue()),  # of the template
        (["2 Tidy Lines", "17"], Venue()),
        (["Department of Lines", "MIT 1999"], Venue()),
    ],
)
def test_the_venue_is_that_of_heads_and_notices(rows: list[str], venue: Venue) -> None:
    assert venue_of(rows) == venue


def test_a_venue_of_the_metadata_is_completed_by_a_head_that_names_it_too() -> None:
    head = Venue("Journal of Lines", "3", "2", "1-9", 2001, True)
    assert Venue("Journal of lines").or_else(head).pages == "1-9"
    assert Venue("Annals of Lines").or_else(head) == Venue("Annals of Lines")
    assert Venue().or_else(head) == head


@given(st.lists(st.text(max_size=60), max_size=5))
def test_any_rows_can_be_read(rows: list[str]) -> None:
    assert venue_of(rows).year is None or publication_year(rows) is not None
    year = publication_year(rows).year
    assert year is None or 1800 < year < 2100
