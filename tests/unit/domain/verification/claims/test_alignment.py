"""Words that a source lacks, and what stands for them."""

from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.verification.claims.alignment import (
    ClaimReading,
    MissingWord,
    clauses,
    missing_words,
)
from citeloom.domain.verification.claims.faithfulness import deviations
from citeloom.domain.verification.claims.parsed_sentence import (
    content_tokens,
    parse_claim,
    parse_sentence,
)

SOURCE = "The survey asked 18 teachers of rural schools about the noise in their classes."


def missing(claim: str, source: str = SOURCE) -> tuple[MissingWord, ...]:
    return missing_words(parse_claim(claim), parse_sentence(source))


def reading(claim: str, source: str = SOURCE, support: float = 0.5) -> ClaimReading:
    parsed, stated = parse_claim(claim), parse_sentence(source)
    found, lacking = deviations(parsed, stated), missing(claim, source)
    words = len(content_tokens(parsed))
    return ClaimReading(support, 0.0, found, lacking, words)


def test_what_the_source_has_is_not_missing() -> None:
    assert missing("Teachers of rural schools were asked about noise in classes.") == ()


def test_a_verb_in_the_place_of_another_is_not_an_exchange() -> None:
    (found,) = missing("The survey questioned 18 teachers of rural schools about the noise.")
    assert (found.word, found.other, found.is_verb) == ("questioned", "asked", True)
    assert not found.is_sure


@given(st.sampled_from(SOURCE.rstrip(".").split()[1:]))
def test_a_name_in_the_place_of_a_word_is_not_a_verb(word: str) -> None:
    claim = SOURCE.replace(f" {word}", " Zorbing", 1)
    assert not any(one.is_verb for one in missing(claim) if one.word == "Zorbing")


def test_another_word_beside_the_same_words_is_an_exchange() -> None:
    (found,) = missing("The survey asked 18 teachers of urban schools about the noise.")
    assert (found.word, found.other, found.is_sure) == ("urban", "rural", True)


def test_the_more_that_is_missing_the_less_sure_is_support() -> None:
    same = "The survey asked 18 teachers of rural schools about the noise."
    reworded = "The survey questioned 18 teachers of rural schools about the noise."
    exchanged = "The survey asked 18 teachers of urban schools about the noise."
    sure = [reading(one).confidence for one in (same, reworded, exchanged)]
    assert sure == sorted(sure, reverse=True)
    assert reading(same, support=0.9).confidence > reading(same).confidence


def test_clauses_of_a_claim() -> None:
    assert clauses(parse_claim("The ponds cool the street, and the trees shade the square.")) == (
        "The ponds cool the street",
        "the trees shade the square.",
    )
    assert clauses(parse_claim("The ponds cool the street, and parks.")) == ()
    assert clauses(parse_claim("The ponds cool the street, but they are small.")) == ()
