"""Cites of the same authors in one citation, by CSL 1.0.2, "Cite Grouping" and "Cite Collapsing".

Without a note the text is citeproc-js's (2.4.63) too. That keeps cites apart that do not stand side
by side, which the specification puts together.
"""

from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from support.cases import each

from citeloom.infrastructure.citation.csl.processor import Processor, Reference
from citeloom.infrastructure.citation.csl.rendering.rich_text import plain
from citeloom.infrastructure.citation.csl.style import load_style

CHICAGO = 'collapse="year"'


def a_work(id: str, year: int, title: str, *authors: str) -> dict[str, Any]:
    people = [{"family": family, "given": "Jo"} for family in authors]
    issued = {"date-parts": [[year]]}
    return {"id": id, "type": "article-journal", "title": title, "author": people, "issued": issued}


WORKS = [
    a_work("s0", 2000, "Alpha", "Weir"),
    a_work("s1", 2001, "Beta", "Weir"),
    # Two of one author and year: a and b, by title.
    a_work("d1", 2000, "Delta", "Doe"),
    a_work("d2", 2000, "Epsilon", "Doe"),
    a_work("d3", 2000, "Zeta", "Doe"),
    a_work("d5", 2005, "Lambda", "Doe"),
    a_work("n1", 1990, "Anon One"),
]


def cited(style: str, *keys: str) -> str:
    processor = Processor(load_style(style), [(work["id"], work) for work in WORKS])
    parts = [key.partition(":") for key in keys]
    references = [Reference(key, (page, "page") if page else None) for key, _, page in parts]
    return plain(processor.cite(references))


@each(
    ("style", "keys", "text"),
    [
        ("apa", ("s0", "s1"), "(Weir, 2000, 2001)"),
        ("apa", ("d1", "d2", "s0"), "(Doe, 2000a, 2000b; Weir, 2000)"),
        ("apa", ("s0:3", "s1"), "(Weir, 2000, p. 3, 2001)"),
        ("apa", ("n1", "s0", "s1"), "(Anon One, 1990; Weir, 2000, 2001)"),
        ("chicago", ("s0", "s1"), "(Weir 2000, 2001)"),
        ("chicago", ("d1", "d2"), "(Doe 2000a, 2000b)"),
        ("chicago", ("s0", "d1", "s1"), "(Weir 2000, 2001; Doe 2000a)"),  # not citeproc-js
        ("ieee", ("s0", "s1"), "[1], [2]"),
    ],
)
def test_the_works_of_the_same_authors_are_cited_together(
    style: str, keys: tuple[str, ...], text: str
) -> None:
    assert cited(style, *keys) == text


@pytest.mark.parametrize(
    ("attributes", "keys", "text"),
    [
        ('collapse="year-suffix" year-suffix-delimiter=","', ("d1", "d3"), "(Doe 2000a,c)"),
        ('collapse="year-suffix"', ("d1", "d2", "d5"), "(Doe 2000a; b, 2005)"),
        ('collapse="year-suffix"', ("d1:7", "d2"), "(Doe 2000a, 7, 2000b)"),
        ('collapse="year-suffix-ranged"', ("d1", "d2", "d3", "d5"), "(Doe 2000a–c, 2005)"),
        (
            'collapse="year-suffix-ranged" year-suffix-delimiter=", "',
            ("d1", "d2"), "(Doe 2000a, b)",
        ),
        ('cite-group-delimiter=" + "', ("s0", "s1", "d5"), "(Weir 2000 + Weir 2001; Doe 2005)"),
        (
            'collapse="year" after-collapse-delimiter=" | "',
            ("s0", "s1", "d5"), "(Weir 2000, 2001 | Doe 2005)",
        ),
        ("", ("s0", "s1"), "(Weir 2000; Weir 2001)"),
    ],
)  # fmt: skip
def test_a_style_says_what_is_left_out_and_what_stands_between(
    attributes: str, keys: tuple[str, ...], text: str, tmp_path: Path
) -> None:
    data = files("citeloom.infrastructure.citation.csl") / "data"
    chicago = (data / "chicago-author-date.csl").read_text("utf-8")
    assert CHICAGO in chicago
    style = tmp_path / "style.csl"
    style.write_text(chicago.replace(CHICAGO, attributes), "utf-8")
    assert cited(str(style), *keys) == text
