import pytest

from citeloom.infrastructure.ingest.conversion.pdf.front_matter.bibliography import publication_year


@pytest.mark.parametrize(
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
        (["arXiv:1601.04920v1 [stat.ML] 19 Jan 2016"], 2016),
        (["Ada Loom", "Room 1984, Line Street"], None),
        ([], None),
    ],
)
def test_the_year_is_that_of_the_strongest_evidence(rows: list[str], year: int | None) -> None:
    assert publication_year(rows) == year


def test_a_file_is_not_made_long_before_its_publication() -> None:
    assert publication_year(["June 2031"], made=2012) is None
    assert publication_year(["To appear in June 2013"], made=2012) == 2013


def test_the_year_of_the_file_is_no_year_of_publication() -> None:
    assert publication_year(["Ada Loom"], made=2003) is None
