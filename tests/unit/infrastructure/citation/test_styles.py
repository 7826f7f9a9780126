"""Citations of several works in one bracket, by style."""

from typing import Any

import pytest

from citeloom.application.ports.citation import CitationMarkup, StyledCite
from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.errors import InvalidRequest
from citeloom.infrastructure.citation.csl.styles import csl_style


def work(key: str, **csl: Any) -> CitationMeta:
    item = {"type": "book", "title": "T", **csl}
    return CitationMeta(citekey=key, title="T", authors=("A",), csl=item)


DOE = {"author": [{"family": "Doe", "given": "Ann"}], "issued": {"date-parts": [[2020]]}}
ROE = {"author": [{"family": "Roe", "given": "Bob"}], "issued": {"date-parts": [[2019]]}}


def test_several_works_are_cited_in_one_bracket_in_the_order_of_the_style() -> None:
    works = [work("r", **ROE), work("d", **DOE)]
    cites = [[StyledCite(citekey="r", pages="3"), StyledCite(citekey="d", pages="12-13")]]
    assert csl_style("apa").in_text(works, cites) == ("(Doe, 2020, pp. 12–13; Roe, 2019, p. 3)",)
    assert csl_style("ieee").in_text(works, cites) == ("[1, p. 3], [2, pp. 12–13]",)
    assert csl_style("vancouver").in_text(works, cites) == ("(1,2)",)


def test_numbers_in_a_row_are_drawn_together() -> None:
    works = [work(key, **DOE) for key in "abcd"]
    cites = [[StyledCite(citekey=key) for key in "abd"], [StyledCite(citekey=k) for k in "abc"]]
    assert csl_style("nature").in_text(works, cites) == ("1,2,4", "1–3")


def test_words_that_say_where_stand_as_they_are() -> None:
    cites = [[StyledCite(citekey="d", place="PDF p. 5")]]
    made = csl_style("apa").in_text([work("d", **DOE)], cites)
    assert made == ("(Doe, 2020, PDF p. 5)",)


def test_works_that_look_alike_are_told_apart_by_letters() -> None:
    works = [work("b", **{**DOE, "title": "Beta"}), work("a", **{**DOE, "title": "Alpha"})]
    style = csl_style("apa")
    assert style.in_text(works, [[StyledCite(citekey="a")], [StyledCite(citekey="b")]]) == (
        "(Doe, 2020a)",
        "(Doe, 2020b)",
    )
    entries = style.bibliography(works, CitationMarkup.MARKDOWN)
    assert [entry.text for entry in entries] == [
        "Doe, A. (2020a). *Alpha*.",
        "Doe, A. (2020b). *Beta*.",
    ]


def test_a_key_that_is_no_work_is_refused() -> None:
    with pytest.raises(InvalidRequest, match="x: none of the works"):
        csl_style("apa").in_text([work("d", **DOE)], [[StyledCite(citekey="x")]])
