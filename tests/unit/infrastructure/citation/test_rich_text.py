"""Rich text: quotation marks, stops, italics and capitals."""

from typing import Any

from support.cases import each

from citeloom.infrastructure.citation.csl.rendering.rich_text import (
    QuoteMarks,
    as_html,
    as_markdown,
    cased,
    field,
    glue,
    marked,
    plain,
    quoted,
    resolve_quotes,
    runs,
)


def shown(text: str) -> str:
    return plain(resolve_quotes(field(text), QuoteMarks()))


@each(
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


@each(
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


@each(
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
