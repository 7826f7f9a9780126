"""Quotes of several documents on one matter: in agreement or at odds."""

from collections.abc import Sequence

from support.research.quotes import DENIES, FALLS, OTHER

from citeloom.domain.review.evidence.agreement import AttributedQuote, group_quotes
from citeloom.domain.review.report.model import Stance
from citeloom.domain.verification.claims.judgement import judge


def stances(*quotes: AttributedQuote, close: float = 0.9) -> list[list[tuple[int, Stance | None]]]:
    def closeness(text: str, others: Sequence[str]) -> Sequence[float]:
        return [close] * len(others)

    return [[tuple(one) for one in group] for group in group_quotes(quotes, closeness, judge)]


def test_a_denial_in_the_same_words_is_at_odds():
    assert stances(AttributedQuote(FALLS, "a"), AttributedQuote(DENIES, "b")) == [
        [(0, None), (1, Stance.DISAGREES)]
    ]


def test_two_documents_with_the_same_words_agree():
    assert stances(AttributedQuote(FALLS, "a"), AttributedQuote(FALLS, "b")) == [
        [(0, None), (1, Stance.AGREES)]
    ]


def test_one_document_is_no_second_opinion():
    assert stances(AttributedQuote(FALLS, "a"), AttributedQuote(DENIES, "a")) == [
        [(0, None)],
        [(1, None)],
    ]


def test_other_matters_stand_apart_however_close_they_seem():
    assert stances(AttributedQuote(FALLS, "a"), AttributedQuote(OTHER, "b")) == [
        [(0, None)],
        [(1, None)],
    ]
    assert stances(AttributedQuote(FALLS, "a"), AttributedQuote(DENIES, "b"), close=0.3) == [
        [(0, None)],
        [(1, None)],
    ]


def test_what_is_only_on_the_same_matter_is_not_said_to_agree():
    on_it = "The cooling beside ponds at one hundred metres was measured in the summer of 2019."
    ((_, second),) = stances(AttributedQuote(FALLS, "a"), AttributedQuote(on_it, "b"))
    assert second == (1, None)
