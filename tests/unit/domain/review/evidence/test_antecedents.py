"""Sentences that point back bring the ones before, or are not quoted."""

from support.cases import each

from citeloom.domain.review.evidence.quotable_sentences import LONGEST_CHAIN as LONGEST
from citeloom.domain.review.evidence.quotable_sentences import points_back, with_antecedent
from citeloom.domain.text.sentences import quotable_spans


@each(
    "sentence",
    [
        "This was not seen beside lakes of any size.",
        "These results hold for small ponds only.",
        "It depends on the soil as much as on the water.",
        "They were assigned at random to four groups of thirty.",
        "Its bias is positive in ten of eleven plots.",
        "The latter falls faster than the former does.",
        "Such a method needs two tapes and a die.",
        "The other is a change of surroundings.",
        "The two groups differed by a third.",
        "Both were disliked by most readers.",
        "Spacing therefore cost less than two minutes for each article.",
        "A gap of three days raised it by 15.6 points.",
        "However good these schedules are, nobody keeps them.",
        "Secondly, a grid costs less than two minutes.",
        "For example, a grid can be turned by thirty degrees.",
        "With such a design the error is smaller by a half.",
    ],
)
def test_what_points_back(sentence: str):
    assert points_back(sentence)


@each(
    "sentence",
    [
        "The grid had the smallest error at every sample size.",
        "This study shows that ponds cool the street at night.",
        "It is well known that ponds cool the street at night.",
        "Both the grid and the transect need two tapes.",
        "Those who have old data need not throw them away.",
        "Two readings with a gap are better than two without one.",
        "Birth weight was higher in those based on records.",
        "Many small ponds serve more houses than one large pond.",
        "Software of the survey was written in two weeks.",
        "Secondary ponds have a smaller effect on the street.",
    ],
)
def test_what_stands_alone(sentence: str):
    assert not points_back(sentence)


def quoted(text: str, number: int) -> str | None:
    span = with_antecedent(text, quotable_spans(text), number)
    return text[slice(*span)] if span else None


def test_the_antecedent_is_quoted_with_what_needs_it():
    text = (
        "Ponds cool the street at night. They do so by evaporation of water. "
        "It falls with the distance from them."
    )
    assert quoted(text, 0) == "Ponds cool the street at night."
    assert quoted(text, 1) == "Ponds cool the street at night. They do so by evaporation of water."
    assert quoted(text, 2) == text


def test_what_has_no_antecedent_in_its_paragraph_is_not_quoted():
    assert quoted("They cool the street by evaporation at night.", 0) is None
    long = f"Ponds {'very ' * (LONGEST // 5)}cool. They cool the street by evaporation at night."
    assert quoted(long, 1) is None


def test_a_connective_alone_does_not_need_the_sentence_before():
    for first in ("Second,", "Hence,", "Thus", "So"):
        text = f"{first} the reader of a familiar text tends to skim."
        assert quoted(text, 0) == text
