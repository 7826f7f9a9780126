"""What numbers count, and claims whose numbers are no contradiction."""

from support.cases import each

from citeloom.domain.text.terms import terms
from citeloom.domain.verification.claims.judgement import SourceSentence, judge
from citeloom.domain.verification.quantities.quantity import counted_stems, quantities, unstated

SOURCE = (
    "After two weeks, readers who had waited three days before the second reading recalled "
    "11.8 percentage points more than those who had re-read at once (d = 1.15)."
)


@each(
    ("text", "expected"),
    [
        ("16 points, enough for all", {"point"}),
        ("two short readings", {"read"}),
        ("(d = 1.15), readers", set()),
        ("of the 34.", set()),
    ],
)
def test_a_count_has_the_stems_of_what_is_counted(text: str, expected: set[str]) -> None:
    assert counted_stems(quantities(text)[0], terms(text), text) == expected


def test_an_ordinal_tells_a_count_in_words() -> None:
    assert unstated(quantities("between two readings"), quantities("before the second one")) == ()
    assert unstated(quantities("between three readings"), quantities("before the second one"))
    assert unstated(quantities("between 2.5 readings"), quantities("before the second one"))


def test_a_number_that_counts_something_else_contradicts_nothing() -> None:
    for waited in ("two", "five"):
        claim = f"Readers who waited between {waited} readings recalled more after two weeks."
        assert judge(claim, [SourceSentence(SOURCE, 0.8)]).verdict == "NOT_ESTABLISHED"


def test_another_number_of_the_same_things_contradicts() -> None:
    source = "A grid of 16 points was as accurate as 34 random points, since no two points meet."
    found = judge(
        "A grid of 9 points was as accurate as 34 random points.", [SourceSentence(source, 0.8)]
    )
    assert found.verdict == "CONTRADICTED"
