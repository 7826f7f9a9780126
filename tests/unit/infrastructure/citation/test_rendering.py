"""Names, dates and text as citation styles take them."""

from typing import Any

import pytest

from citeloom.application.ports.citation import CitationMarkup, StyledCite
from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.errors import InvalidRequest
from citeloom.infrastructure.citation.csl.item import read_item
from citeloom.infrastructure.citation.csl.rendering.date_parts import DateValue, Moment, read_date
from citeloom.infrastructure.citation.csl.rendering.name_parts import initials, read_people
from citeloom.infrastructure.citation.csl.rendering.numbers import is_numeric, roman
from citeloom.infrastructure.citation.csl.rendering.rich_text import (
    QuoteMarks,
    as_html,
    as_markdown,
    field,
    glue,
    marked,
    plain,
    quoted,
    resolve_quotes,
    runs,
)
from citeloom.infrastructure.citation.csl.rendering.text_case import cased
from citeloom.infrastructure.citation.csl.styles import CslStyles


def shown(text: str) -> str:
    return plain(resolve_quotes(field(text), QuoteMarks()))


@pytest.mark.parametrize(
    ("text", "typeset"),
    [
        ('He said "yes" twice', "He said “yes” twice"),
        ("The 'single' ones", "The “single” ones"),
        ("d'Arc and the boys' toys", "d’Arc and the boys’ toys"),
        ("He said \"a 'b' c\" d", "He said “a ‘b’ c” d"),
        ("rock 'n' roll of the '60s", "rock “n” roll of the ’60s"),
        ('a 5" disk', 'a 5" disk'),
        ("one : two", "one\u202f: two"),
        ("two  blanks", "two blanks"),
    ],
)
def test_quotation_marks_and_blanks_are_typeset(text: str, typeset: str) -> None:
    assert shown(text) == typeset


@pytest.mark.parametrize(
    ("left", "right", "made"),
    [
        ("End.", ". Next", "End. Next"),
        ("Why?", ". Next", "Why? Next"),
        ("Why?", ", next", "Why?, next"),
        ("End.", ": next", "End.: next"),
        ("one ", " two", "one two"),
        ("one;", ". two", "one; two"),
    ],
)
def test_stops_are_not_doubled_where_pieces_meet(left: str, right: str, made: str) -> None:
    assert plain(glue(runs(left), runs(right), punctuation_in_quote=True)) == made


def test_american_stops_go_inside_quotation_marks_and_british_ones_do_not() -> None:
    title = quoted(runs("Title"))
    assert shown_runs(glue(title, runs(", 3"), punctuation_in_quote=True)) == "“Title,” 3"
    assert shown_runs(glue(title, runs(", 3"), punctuation_in_quote=False)) == "“Title”, 3"
    assert shown_runs(glue(quoted(runs("Why?")), runs("."), punctuation_in_quote=True)) == "“Why?”"


def shown_runs(text: Any) -> str:
    return plain(resolve_quotes(text, QuoteMarks()))


def test_marks_of_a_field_are_kept_and_what_is_no_mark_is_text() -> None:
    text = resolve_quotes(field("<i>Fucus</i> in H<sub>2</sub>O, 1 < 2 & <q>x"), QuoteMarks())
    assert as_html(text) == "<i>Fucus</i> in H<sub>2</sub>O, 1 &lt; 2 &amp; &lt;q&gt;x"
    assert as_markdown(resolve_quotes(field("<i>a*b</i>"), QuoteMarks())) == r"*a\*b*"


def test_italics_of_a_field_stand_upright_within_those_of_a_style() -> None:
    styled = marked(marked(field("Of <i>Fucus</i>"), "i"), "i")
    assert as_html(resolve_quotes(styled, QuoteMarks())) == "<i>Of </i>Fucus"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("the rise of a new era: on the way up", "The Rise of a New Era: On the Way Up"),
        ("a study of iPhone and e-commerce", "A Study of iPhone and E-Commerce"),
        ("l'ange de l'oeuvre", "L’ange de l’oeuvre"),
        ("up-and-coming how-to", "Up-and-Coming How-To"),
        ("mRNA and pH", "mRNA and pH"),
    ],
)
def test_english_titles_get_capitals_where_they_mean_something(text: str, title: str) -> None:
    assert plain(cased(field(text), "title", english=True)) == title
    assert plain(cased(field(text), "title", english=False)) == plain(field(text))


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ({"family": "van der Berg", "given": "Jan"}, ("van der", "Berg", "Jan", "", "")),
        ({"family": "Beethoven", "given": "Ludwig van"}, ("", "Beethoven", "Ludwig", "van", "")),
        ({"family": "King", "given": "Martin Luther, Jr."},
         ("", "King", "Martin Luther", "", "Jr.")),
        ({"family": "d'Alembert", "given": "J"}, ("d’", "Alembert", "J", "", "")),
        ({"family": '"van der Berg"', "given": "Jan"}, ("", "van der Berg", "Jan", "", "")),
        ({"family": "Von Neumann", "given": "J"}, ("", "Von Neumann", "J", "", "")),
    ],
)  # fmt: skip
def test_particles_and_suffixes_are_told(
    name: dict[str, str], parts: tuple[str, str, str, str, str]
) -> None:
    (person,) = read_people([name])
    assert parts == (
        person.particle, person.family, person.given, person.dropping, person.suffix
    )  # fmt: skip


@pytest.mark.parametrize(
    ("given", "spaced", "close"),
    [
        ("Jean-Paul", "J.-P.", "JP"),
        ("J.R.", "J. R.", "JR"),
        ("Th.", "Th.", "Th"),
        ("Guo-ping", "G.", "G"),
        ("A. and B.", "A. and B.", "A and B"),
        ("Éric A", "É. A.", "ÉA"),
    ],
)
def test_given_names_become_initials(given: str, spaced: str, close: str) -> None:
    assert initials(given, ". ", hyphen=True) == spaced
    assert initials(given, "", hyphen=False) == close


@pytest.mark.parametrize(
    ("value", "date"),
    [
        ({"date-parts": [[2014, 5, 3]]}, DateValue(Moment(2014, 5, 3))),
        ({"date-parts": [["2014", "05"]]}, DateValue(Moment(2014, 5))),
        ({"date-parts": [[2014], [2016]]}, DateValue(Moment(2014), Moment(2016))),
        ({"date-parts": [[2014], [0]]}, DateValue(Moment(2014), open=True)),
        ({"date-parts": [[2014]], "season": 1}, DateValue(Moment(2014, season=1))),
        ({"date-parts": [[2014, 21]]}, DateValue(Moment(2014, season=1))),
        ({"date-parts": [[2014]], "literal": "June 27, 2014"}, DateValue(Moment(2014, 6, 27))),
        ({"date-parts": [[1962]], "literal": "06-02-1962"}, DateValue(Moment(1962))),
        ({"literal": "forthcoming"}, DateValue(literal="forthcoming")),
        ({"raw": "ca. 1850"}, DateValue(Moment(1850), circa=True)),
        ({"date-parts": [[2014]], "circa": True}, DateValue(Moment(2014), circa=True)),
        ({"date-parts": [[]]}, None),
        ({}, None),
    ],
)
def test_dates_are_read_as_far_as_they_are_certain(
    value: dict[str, Any], date: DateValue | None
) -> None:
    assert read_date(value) == date


def test_a_note_states_variables_that_the_item_lacks() -> None:
    csl = {
        "type": "book", "title": "T", "publisher": "P",
        "note": "Original Date: 1911\ntranslator: Reed || Rita\nPublisher: Q\n{:version: 2}\nhm: x",
    }  # fmt: skip
    item = read_item(csl, "k")
    assert item.date("original-date") == DateValue(Moment(1911))
    assert [person.family for person in item.people("translator")] == ["Reed"]
    assert (item.text("publisher"), item.text("version")) == ("P", "2")


def test_numbers_are_told() -> None:
    assert all(
        map(is_numeric, ("12", "12a", "1-2", "1, 3", "1 & 3", "e1234", "2nd", "xii", "viii, 284"))
    )
    assert not any(map(is_numeric, ("", "XII", "Second", "3-4 ed.", "supp 1", "mix", "xiv, 236 p")))
    assert (roman(1994), roman(4000)) == ("mcmxciv", "4000")


def work(key: str, **csl: Any) -> CitationMeta:
    item = {"type": "book", "title": "T", **csl}
    return CitationMeta(citekey=key, title="T", authors=("A",), csl=item)


DOE = {"author": [{"family": "Doe", "given": "Ann"}], "issued": {"date-parts": [[2020]]}}
ROE = {"author": [{"family": "Roe", "given": "Bob"}], "issued": {"date-parts": [[2019]]}}


def test_several_works_are_cited_in_one_bracket_in_the_order_of_the_style() -> None:
    works = [work("r", **ROE), work("d", **DOE)]
    cites = [[StyledCite(citekey="r", pages="3"), StyledCite(citekey="d", pages="12-13")]]
    styles = CslStyles()
    assert styles.style("apa").in_text(works, cites) == ("(Doe, 2020, pp. 12–13; Roe, 2019, p. 3)",)
    assert styles.style("ieee").in_text(works, cites) == ("[1, p. 3], [2, pp. 12–13]",)
    assert styles.style("vancouver").in_text(works, cites) == ("(1,2)",)


def test_numbers_in_a_row_are_drawn_together() -> None:
    works = [work(key, **DOE) for key in "abcd"]
    cites = [[StyledCite(citekey=key) for key in "abd"], [StyledCite(citekey=k) for k in "abc"]]
    assert CslStyles().style("nature").in_text(works, cites) == ("1,2,4", "1–3")


def test_words_that_say_where_stand_as_they_are() -> None:
    cites = [[StyledCite(citekey="d", place="PDF p. 5")]]
    made = CslStyles().style("apa").in_text([work("d", **DOE)], cites)
    assert made == ("(Doe, 2020, PDF p. 5)",)


def test_works_that_look_alike_are_told_apart_by_letters() -> None:
    works = [work("b", **{**DOE, "title": "Beta"}), work("a", **{**DOE, "title": "Alpha"})]
    style = CslStyles().style("apa")
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
        CslStyles().style("apa").in_text([work("d", **DOE)], [[StyledCite(citekey="x")]])
