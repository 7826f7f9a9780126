"""What decides a claim, and whether a text has it."""

from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from citeloom.domain.verification.claims.parsed_sentence import parse_claim, parse_sentence
from citeloom.domain.verification.decisive_content import (
    decisive_quantities,
    has_its_quantities,
    has_its_quotation,
    has_its_rest,
    may_state,
)


@each(
    ("claim", "decisive"),
    [
        ("Ponds cooled the air by 0.33 K at 100 m.", ["0.33 K", "100 m"]),
        ("In 2019 two of 16 ponds fell dry for the 3rd time.", ["16"]),
        ("Half of the 7 ponds lost 5 % of it.", ["5 %"]),
        ("One pond was dry in the second year.", []),
    ],
)
def test_years_ordinals_and_small_counts_decide_nothing(claim: str, decisive: list[str]) -> None:
    assert [one.text for one in decisive_quantities(parse_claim(claim))] == decisive


@each(
    ("claimed", "text", "expected"),
    [
        ("0.33 K", "at 100 m only 0.33 K", True),
        ("0.3 K", "only 0.33 K", True),
        ("0.33 K", "only 0.3 K", False),
        ("0.33 K", "Mean 1.0 1.74 1.22 0.83 0.33", True),
        ("1,200 m", "over 1200 metres", True),
        ("120 min", "for 2 h", True),
        ("25 %", "a share of 0.25", True),
        ("12 evenings", "on twelve evenings", True),
        ("5-9 km", "up to 9 km away", True),
        ("0.33 K", "between 1.74 and 1.22 K", False),
        ("100 m", "lamp posts", False),
    ],
)
def test_a_text_may_state_a_number_in_another_form(claimed: str, text: str, expected: bool) -> None:
    (quantity,) = parse_claim(f"It was {claimed}").quantities
    assert may_state(text, quantity) is expected


@given(
    st.decimals(min_value=0, max_value=10**6, places=2),
    st.sampled_from(["K", "m", "%", "ponds", "mg", ""]),
    st.text(max_size=30),
)
def test_a_text_may_state_every_number_that_it_has(value: object, unit: str, around: str) -> None:
    text = f"It was {value:f} {unit}. {around}"
    for quantity in parse_claim(text).quantities:
        assert may_state(text, quantity)


SENTENCE = parse_sentence(
    "At 5 m from the shore the air was 1.74 K cooler than in the street, at 100 m only 0.33 K."
)


@each(
    ("claim", "expected"),
    [
        ("The air of the street was cooler by 0.33 K at 100 m.", True),
        ("In 2021 the air of the street was cooler by 0.33 K.", True),
        ("The air of the street was cooler by 0.33 K at 250 m.", False),
        ("Sensors drifted by 0.33 K in their shelter.", False),
    ],
)
def test_all_numbers_of_the_same_things_are_a_claims_quantities(claim: str, expected: bool) -> None:
    assert has_its_quantities(parse_claim(claim), SENTENCE) is expected


@each(
    ("quotation", "claim", "expected"),
    [
        ("only 0.33 K", "It was “only 0.33 K” at 100 m.", True),
        ("only 0.33 K", "It was “only 0.33 K” at 250 m.", False),
        ("the air was", "They say “the air was” something.", True),
        ("from the shore the air", "Boats go “from the shore the air” of harbours spoils.", False),
        ("cooler than in the street", "Air is “cooler than in the street” there.", True),
        ("in the street", "Shops “in the street” sell bread to tourists.", False),
    ],
)
def test_marks_that_set_off_a_term_are_no_quotation(
    quotation: str, claim: str, expected: bool
) -> None:
    assert has_its_quotation(parse_claim(claim), quotation, SENTENCE) is expected


def test_the_rest_of_a_claim_is_what_stands_beside_its_quotations() -> None:
    assert has_its_rest("With “many words of others” the air in the street was cooler.", SENTENCE)
    assert not has_its_rest("The “air in the street was cooler” for planners of parks.", SENTENCE)
