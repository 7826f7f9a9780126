"""Works for what is typed of a key."""

from support.cases import each

from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.writing import CitableWork, citable, matching_works


def work(
    key: str, title: str, *families: str, year: int = 2020, has_text: bool = True
) -> CitableWork:
    people = [{"family": family, "given": "A."} for family in families]
    meta = CitationMeta(
        citekey=key, title=title, authors=families, year=year, csl={"author": people}
    )
    return citable(meta, has_text=has_text)


WORKS = [
    work("zed1999", "Waters and ponds", "Zed", year=1999),
    work("pond2020", "Evening cooling", "Pond", "Lake", "Sea"),
    work("brook2019", "Pondering", "Brook", "Ives", has_text=False),
    work("aPond", "Grids", "Émerant"),
]


@each(
    ("typed", "expected"),
    [
        ("", ["aPond", "pond2020", "zed1999", "brook2019"]),
        ("POND", ["pond2020", "zed1999", "brook2019", "aPond"]),
        ("lake", ["pond2020"]),
        ("émer", ["aPond"]),
        ("1999", ["zed1999"]),
        ("nothing", []),
    ],
)
def test_keys_then_names_then_titles(typed: str, expected: list[str]) -> None:
    assert [one.key for one in matching_works(WORKS, typed, 10)[0]] == expected


def test_there_may_be_more() -> None:
    found, more = matching_works(WORKS, "", 2)
    assert len(found) == 2
    assert more
    assert not matching_works(WORKS, "", 4)[1]


def test_names_are_short() -> None:
    assert [one.authors for one in WORKS[1:3]] == ["Pond et al.", "Brook and Ives"]
