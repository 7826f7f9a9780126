"""Another number for the same, in other words."""

import pytest

from citeloom.domain.verification.claims.contradictions import (
    adds_negation,
    changed_names,
    has_other_number,
)
from citeloom.domain.verification.claims.features import parse_sentence

SOURCE = (
    "During the summer of 2020, we taught the material to 1757 interactive students in 64 "
    "countries with 191 teaching assistants."
)


def at_odds(claim: str, *sentences: str) -> bool:
    return has_other_number(parse_sentence(claim), [parse_sentence(one) for one in sentences], 0)


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


def test_numbers_of_other_things_are_no_others() -> None:
    claim = "In summer interactive students were taught the material in 30 languages."
    assert not at_odds(claim, SOURCE)


def test_a_sentence_on_something_else_says_nothing() -> None:
    assert not at_odds("The city counted 1200 interactive screens for tourists.", SOURCE)


@pytest.mark.parametrize(
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
    assert not adds_negation(parse_sentence("Not one of the teachers liked the materials."), source)
