"""Who does what to whom, in the active and passive voice."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.verification.claims.faithfulness import DeviationKind, vetoes
from citeloom.domain.verification.claims.parsed_sentence import parse_claim, parse_sentence
from citeloom.domain.verification.claims.voices import exchanged_sides

NOUNS = ("parser", "scheduler", "cache", "compiler", "reviewer", "gateway", "sensor", "tutor")
VERBS = (("replaces", "replaced"), ("guides", "guided"), ("blocks", "blocked"), ("rates", "rated"))
FRONTS = ("", "In the second phase, ", "After each round, ")


def _sentence(front: str, agent: str, other: str, verb: tuple[str, str], voice: str) -> str:
    active, passive = verb
    core = {
        "active": f"the {agent} {active} the {other}",
        "passive": f"the {other} is {passive} by the {agent}",
        "modal": f"the {agent} must {active.removesuffix('s')} the {other}",
    }[voice]
    text = front + core
    return text[:1].upper() + text[1:] + "."


@given(
    st.permutations(NOUNS),
    st.sampled_from(VERBS),
    st.tuples(st.sampled_from(FRONTS), st.sampled_from(FRONTS)),
    st.tuples(*[st.sampled_from(("active", "passive", "modal"))] * 2),
)
def test_a_word_that_changes_sides_is_found_in_each_voice(nouns, verb, fronts, voices) -> None:
    agent, other = nouns[:2]
    source = parse_sentence(_sentence(fronts[0], agent, other, verb, voices[0]))
    same = parse_claim(_sentence(fronts[1], agent, other, verb, voices[1]))
    turned = parse_claim(_sentence(fronts[1], other, agent, verb, voices[1]))

    assert exchanged_sides(same, source) is None
    assert exchanged_sides(turned, source)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        (
            "Proof-of-stake is replaced by proof-of-work.",
            "Proof-of-stake replaces proof-of-work to provide most of the network security.",
        ),
        (
            "Reanalyses of papers were found by a staggering ratio of results.",
            "Recent reanalyses of papers found a staggering ratio of results.",
        ),
        (
            "The formgrader extension can manually grade instructors after the workshop.",
            "Instructors can manually grade responses using the formgrader extension.",
        ),
        (
            "A series of workshops organized the laboratory.",
            "It was part of a series of workshops organized by the laboratory.",
        ),
    ],
)
def test_no_wording_says_the_same_with_exchanged_sides(claim: str, source: str) -> None:
    found = vetoes(parse_claim(claim), parse_sentence(source))

    assert DeviationKind.ORDER in {one.kind for one in found}


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        (
            "Render speed may increase if another renderer is implemented.",
            "Implementing another renderer may increase render speed.",
        ),
        (
            "The revenue is the number of clicks times the price per click.",
            "The revenue is the price per click times the number of clicks.",
        ),
        (
            "Presentations have limited support on mobile devices.",
            "Support for presentations on mobile devices is limited.",
        ),
        (
            "It was based on a protocol example by Mendes.",
            "It was based on review protocols and the example found in Mendes.",
        ),
        (
            "The value can often be computed without looking at the tree.",
            "One can often compute the value without looking at the tree.",
        ),
    ],
)
def test_other_constructions_are_left_alone(claim: str, source: str) -> None:
    assert exchanged_sides(parse_claim(claim), parse_sentence(source)) is None
