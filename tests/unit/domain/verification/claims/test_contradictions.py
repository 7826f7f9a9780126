"""Another number for the same, in other words."""

import pytest
from support.cases import each

from citeloom.domain.verification.claims.contradictions import (
    adds_negation,
    changed_names,
    drops_negation,
    has_swapped_sides,
    other_numbers,
    reversed_words,
)
from citeloom.domain.verification.claims.parsed_sentence import parse_sentence
from citeloom.domain.verification.claims.polarity import opposed_by_prefix

SOURCE = (
    "During the summer of 2020, we taught the material to 1757 interactive students in 64 "
    "countries with 191 teaching assistants."
)


def at_odds(claim: str, *sentences: str) -> bool:
    return bool(other_numbers(parse_sentence(claim), [*map(parse_sentence, sentences)], 0))


def test_another_count_of_the_same_things() -> None:
    assert at_odds("In summer 1200 interactive students were taught the material.", SOURCE)
    assert not at_odds("In summer 1757 interactive students were taught the material.", SOURCE)


def test_another_value_of_the_same_unit() -> None:
    source = "The percentage of students that completed half of the classes was 58%."
    assert at_odds("Merely 28% of the students completed half of the classes.", source)


@pytest.mark.parametrize("elsewhere", ["Of those, 1200 students finished.", "In all, 1,200 came."])
def test_a_number_that_the_source_states_elsewhere_is_no_other(elsewhere: str) -> None:
    claim = "In summer 1200 interactive students were taught the material."
    assert not at_odds(claim, SOURCE, elsewhere)


def test_a_bare_number_in_the_place_of_another_between_the_same_words() -> None:
    source = "For these files the mean factor of the tool is 5.2, which is more than 2.9 of others."
    assert at_odds("For these files the mean factor of the tool is 6.3.", source)
    assert not at_odds("For these files the mean factor of the tool is 2.9.", source)


def test_numbers_of_other_things_are_no_others() -> None:
    claim = "In summer interactive students were taught the material in 30 languages."
    assert not at_odds(claim, SOURCE)


def test_a_sentence_on_something_else_says_nothing() -> None:
    assert not at_odds("The city counted 1200 interactive screens for tourists.", SOURCE)


@each(
    ("claim", "source", "names"),
    [
        (
            "Serum IL-6 rose in treated mice after infection.",
            "Serum IL-8 rose in treated mice after infection.",
            (("IL-6", "IL-8"),),
        ),
        (
            "Raw data come from the Coupled Model Intercomparison Project Phase 4.",
            "Raw data come from the Coupled Model Intercomparison Project Phase 5.",
            (("Phase 4", "Phase 5"),),
        ),
        (
            "Serum IL-6 rose in treated mice after infection.",
            "Serum IL-6 and IL-8 rose in treated mice after infection.",
            (),
        ),
        ("In 2019 serum levels rose in treated mice.", "In 2020 serum levels rose in mice.", ()),
        ("IL-6 rose in treated mice.", "IL-8 is expressed by many cells of the skin.", ()),
    ],
)
def test_another_name_of_the_series(
    claim: str, source: str, names: tuple[tuple[str, str], ...]
) -> None:
    assert changed_names(parse_sentence(claim), parse_sentence(source)) == names


def test_a_negation_that_the_source_lacks_is_noticed() -> None:
    source = parse_sentence("The materials have been used for over three years.")
    denied = parse_sentence("The materials have not been used for over three years.")
    assert adds_negation(denied, source)
    assert not adds_negation(source, denied)
    assert not adds_negation(source, source)
    assert drops_negation(source, denied)
    assert not drops_negation(denied, denied)


def test_few_of_the_claim_denies_nothing_outright() -> None:
    claim = parse_sentence("Few changes of the old code are required.")
    source = parse_sentence("Minimal changes to the old code are required.")
    assert not adds_negation(claim, source)
    assert adds_negation(parse_sentence("No changes of the old code are required."), source)


def test_a_half_without_the_negation_of_the_other_half_drops_nothing() -> None:
    source = parse_sentence("The ponds cool the street, but the trees do not shade the square.")
    assert not drops_negation(parse_sentence("The ponds cool the street."), source)


@each(
    ("claim", "source", "pairs"),
    [
        (
            "Caffeine raises blood pressure in adults.",
            "Caffeine lowers blood pressure in adults.",
            [("raises", "lowers")],
        ),
        ("Caffeine raises pressure.", "Caffeine raises pressure and lowers sleep.", []),
        (
            "Rates of students who drop out of high school fell.",
            "Rates of students who drop out of high school fell in low-income towns.",
            [],
        ),
        (
            "The new tool needs less memory than the old tool.",
            "The old tool needs more memory than the new tool.",
            [],
        ),
        (
            "Higher doses were given to old patients.",
            "Patients with lower pressure were given new doses for weeks.",
            [],
        ),
    ],
)
def test_a_word_for_its_opposite(claim: str, source: str, pairs: list[tuple[str, str]]) -> None:
    found = reversed_words(parse_sentence(claim), parse_sentence(source))
    assert [(mine.word, theirs.word) for mine, theirs in found] == pairs


def test_a_word_that_takes_away_is_no_negation_put_in() -> None:
    words = " ".join(f"reading{n}" for n in range(30))
    source = parse_sentence(f"The filter removes noise of {words}.")
    assert not adds_negation(parse_sentence(f"The filter eliminates noise of {words}."), source)


@pytest.mark.parametrize(
    ("claim", "source", "pairs"),
    [
        (
            "a within-subject design",
            "a between-subject design",
            [("within-subject", "between-subject")],
        ),
        (
            "It differs within groups.",
            "It differs between groups.",
            [("within groups", "between groups")],
        ),
        ("an offline test", "an online test", [("offline", "online")]),
        (
            "It underestimates risk.",
            "It overestimated risk.",
            [("underestimates", "overestimated")],
        ),
        ("an online test", "online and offline tests", []),
        ("It is unsuitable there.", "It is suitable there.", [("unsuitable", "suitable")]),
        ("It is suitable there.", "It is unsuitable.", [("suitable", "unsuitable")]),
        ("It is unsuitable there.", "It is not suitable there.", []),
        ("It is non-linear.", "It is linear or non-linear.", []),
        ("They improve skills.", "They prove skills.", []),
        ("a pre-test", "pre- and post-tests", []),
        ("It was inter-rater agreement.", "Intra-site agreement was low.", []),
        ("It goes on lines.", "It goes off lines.", []),
    ],
)
def test_words_with_opposite_prefixes(
    claim: str, source: str, pairs: list[tuple[str, str]]
) -> None:
    assert list(opposed_by_prefix(claim, source)) == pairs


def test_two_words_for_their_opposites() -> None:
    source = parse_sentence("Forecasting is a small field with few practitioners of it.")
    claim = parse_sentence("Forecasting is a large field with many practitioners of it.")
    found = {(mine.word, theirs.word) for mine, theirs in reversed_words(claim, source)}
    assert ("large", "small") in found


def test_years_are_other_numbers_only_in_a_repeated_sentence() -> None:
    source = "The survey of teachers was repeated by the ministry in 2019 in all rural districts."
    assert at_odds(source.replace("2019", "2017"), source)
    assert not at_odds("A large new survey of teachers in 2017 showed worries.", source)


def test_sides_of_a_comparison() -> None:
    source = parse_sentence("Stata is faster than Julia.")
    assert has_swapped_sides(parse_sentence("Julia is faster than Stata."), source)
    assert not has_swapped_sides(parse_sentence("Julia is slower than Stata."), source)
    assert not adds_negation(parse_sentence("Not one of the teachers liked the materials."), source)
