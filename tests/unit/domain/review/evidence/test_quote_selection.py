"""Which sentences can be quoted, which of them are kept, and which speak of the same."""

from collections.abc import Sequence

import pytest

from citeloom.domain.review.evidence.agreement import AttributedQuote, group_quotes
from citeloom.domain.review.evidence.quotable_sentences import (
    asks_for_quantity,
    bullet_length,
    has_verb,
    is_back_matter,
    is_statement,
    states_quantity,
)
from citeloom.domain.review.evidence.quote_selection import QuoteCandidate, select_quotes
from citeloom.domain.review.report.model import Stance
from citeloom.domain.verification.claims.evidence_spans import evidence_spans, points_back
from citeloom.domain.verification.claims.judgement import judge


@pytest.mark.parametrize(
    "sentence",
    [
        "The cooling falls with distance and is gone at one hundred metres.",
        "At 5 m from the shore the air was on average 1.74 K cooler (Fig. 2).",
        "“Ponds cool the street,” the mayor said to the council of the town.",
        "The design was taken from an earlier study of small lakes [3, 4].",
        "3D models of the town are built from open data of the survey.",
    ],
)
def test_whole_sentences_can_be_quoted(sentence: str):
    assert is_statement(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Results",
        "of the ponds that were measured in the summer of that year.",
        "How strong is the cooling at the shore of small ponds?",
        "The cooling falls with distance and is gone at",
        "Figure 2. The cooling by distance from the shore of four ponds.",
        "Szélkuti, O., & Marrowfield, T. (2022). Evening cooling beside ponds.",
        "Notes in Urban Microclimate, 7(2), 127–130, the publisher, Amsterdam.",
        "See the long form of this at https://doi.org/10.5555/num.2022.7.003.",
        "License Authors of papers retain copyright and release the work.",
        "We thank the water board of the town for their kind permission.",
        "0.33 0.83 1.22 1.74 12 25 50 100 K m n = 92 0.3 1.9 ha p < 0.05.",
        "The air was cooler (by 1.74 K at the shore of the pond.",
        "Too short a one.",
    ],
)
def test_fragments_captions_notices_and_references_cannot(sentence: str):
    assert not is_statement(sentence)


def test_marks_of_lists_are_no_part_of_a_quotation():
    assert bullet_length("• The first") == 2
    assert bullet_length("(iv) The fourth") == 5
    assert bullet_length("12. The twelfth") == 4
    assert bullet_length("– The next") == 2
    assert bullet_length("-3.5 K was the least") == bullet_length("–.5 K was the least") == 0
    assert bullet_length("A first one") == 0


def test_what_stands_in_lists_has_to_have_a_verb():
    assert not has_verb("Understand the basic concepts of reinforcement learning.", "en")
    assert has_verb("Students will learn the basic concepts of it.", "en")
    assert has_verb("Die Teiche kühlen die Straßen der Stadt, aber nicht die des Dorfes.", "de")


def test_a_quote_that_points_back_has_what_it_points_to():
    text = "Ponds cool the street at night. This effect is gone at one hundred metres."
    (span,) = evidence_spans(text, "effect gone metres", [0.2, 0.9])
    assert span.quote == text
    other = "Ponds cool the street at night. Grids have the smallest error of all designs."
    (span,) = evidence_spans(other, "grids error", [0.2, 0.9])
    assert span.quote == other[32:]


def test_an_expletive_points_to_nothing():
    text = "Ponds cool the street at night. It is known that grids have small errors."
    (span,) = evidence_spans(text, "grids errors", [0.2, 0.9])
    assert span.quote == text[32:]


FALLS = "The cooling beside ponds falls with distance and is gone at one hundred metres."
DENIES = (
    "The cooling beside ponds does not fall with distance and is not gone at one hundred metres."
)
OTHER = "The square grid has the smallest error of all designs at every sample size."


def candidates(*rows: tuple[str, str, float]) -> list[QuoteCandidate]:
    return [
        QuoteCandidate(document, 1000 * n, 1000 * n + len(text), text, relevance)
        for n, (document, text, relevance) in enumerate(rows)
    ]


def test_several_documents_are_heard_before_one_is_heard_again():
    words = "alpha beta gamma delta".split()
    found = candidates(
        *(("a", f"{w} is one thing that document a has to say on it.", 0.8) for w in words),
        ("b", OTHER, 0.7),
    )
    chosen = select_quotes(found, [], 3)
    assert {one.document_id for one in chosen.quotes} == {"a", "b"}


def test_what_is_far_less_to_the_point_is_left_and_why_is_told():
    chosen = select_quotes(candidates(("a", FALLS, 0.9), ("b", OTHER, 0.4)), [], 5)
    assert [one.document_id for one in chosen.quotes] == ["a"]
    assert "far less to the point" in chosen.reasons["b"]


def test_the_same_words_are_quoted_once_but_not_where_they_are_denied():
    again = FALLS.replace("is gone", "is quite gone")
    found = candidates(("a", FALLS, 0.9), ("b", again, 0.88), ("c", DENIES, 0.8))
    chosen = select_quotes(found, [], 5)
    assert [one.document_id for one in chosen.quotes] == ["a", "c"]
    assert "same words" in chosen.reasons["b"]


def test_a_document_gives_ten_quotes_at_most_those_held_counted():
    texts = [f"Sentence {n} speaks of the matter number {n * 7} alone." for n in range(14)]
    all_ = candidates(*(("a", text, 0.9) for text in texts))
    chosen = select_quotes(all_[6:], all_[:6], 20)
    assert len(chosen.quotes) == 4


def test_places_that_overlap_are_quoted_once():
    first = QuoteCandidate("a", 0, 50, FALLS, 0.9)
    second = QuoteCandidate("a", 40, 90, OTHER, 0.8)
    assert select_quotes([first, second], [], 5).quotes == (first,)


def stances(*quotes: AttributedQuote, close: float = 0.9) -> list[list[tuple[int, Stance | None]]]:
    def closeness(text: str, others: Sequence[str]) -> Sequence[float]:
        return [close] * len(others)

    return [[tuple(one) for one in group] for group in group_quotes(quotes, closeness, judge)]


def test_a_denial_in_the_same_words_is_at_odds():
    assert stances(AttributedQuote(FALLS, "a"), AttributedQuote(DENIES, "b")) == [
        [(0, None), (1, Stance.DISAGREES)]
    ]


def test_the_same_words_agree():
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


@pytest.mark.parametrize(
    ("heading", "apart"),
    [
        ("Acknowledgements", True),
        ("6 Acknowledgments", True),
        ("Conflicts of Interest", True),
        ("Author contributions", True),
        ("References", True),
        ("Learning content", False),
        ("Contents of the pond", False),
        ("Funding of schools", False),
    ],
)
def test_sections_that_say_nothing_on_the_matter(heading: str, apart: bool):
    assert is_back_matter(heading) is apart


def test_quantities_are_asked_for_and_stated():
    assert asks_for_quantity("How many students took part?")
    assert asks_for_quantity("What is the size of the effect?")
    assert not asks_for_quantity("How do ponds cool the street?")
    assert states_quantity("It was taken by 65 students.")
    assert not states_quantity("It was taken by students (Rosenshine, 1987).")


@pytest.mark.parametrize(
    "sentence",
    [
        "None of these costs anything either.",
        "One is forgetting itself: after three days the reader has lost enough.",
        "The others had re-read when they had an appointment.",
        "We mention this because a reader asked.",
        "This effect is gone at one hundred metres.",
    ],
)
def test_what_needs_the_sentence_before(sentence: str):
    assert points_back(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "This course was taught four times.",
        "It is important to turn the grid.",
        "One approach is to turn the grid.",
        "Each pond was measured twice.",
    ],
)
def test_what_stands_by_itself(sentence: str):
    assert not points_back(sentence)


def test_a_quote_is_not_lengthened_by_what_points_back_itself():
    text = (
        "Ponds cool the street at night. This extends the cooling effect of lakes to ponds and "
        "rivers. The ponds were 1.7 K cooler at the shore than the reference street."
    )
    scores = [0.2, 0.2, 0.9]
    best = evidence_spans(text, "cooling effect of ponds, lakes and rivers", scores)[0]
    assert best.quote.startswith("The ponds")


@pytest.mark.parametrize(
    "sentence",
    [
        "The most recent version can be found at https://example.org/ponds for all.",
        "Repetitive, tedious tasks\uffffand distractions\uffffpull attention away from ponds.",
    ],
)
def test_addresses_of_the_web_and_unreadable_characters_are_not_quoted(sentence: str):
    assert not is_statement(sentence)


def test_a_document_that_was_not_heard_may_say_less():
    mine = [
        QuoteCandidate("a", n * 100, n * 100 + 50, f"Sentence {n} of ponds.", 0.9) for n in (1, 2)
    ]
    other = QuoteCandidate("b", 0, 50, "No such thing is seen beside lakes.", 0.44)
    again = QuoteCandidate("a", 900, 950, "Something else of rivers.", 0.44)
    chosen = select_quotes([*mine, other, again], [], 8)
    assert other in chosen.quotes
    assert again not in chosen.quotes
