"""The least of a text that says something, verbatim."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from citeloom.domain.text.sentences import quotable_spans
from citeloom.domain.verification.claims.evidence_spans import (
    MAX_CHARACTERS,
    EvidenceSpan,
    evidence_spans,
    starts_with_anaphor,
)

TEXT = (
    "Schools in the valley are old buildings. The training raised reading scores of pupils. "
    "The gain was 12.5% after two terms of lessons. Teachers liked the coffee that was served."
)


def test_one_sentence_is_enough_where_it_says_all() -> None:
    (found,) = evidence_spans(TEXT, "Training raised reading scores", [0.1, 0.9, 0.2, 0.1])
    assert found.quote == "The training raised reading scores of pupils."
    assert found.relevance_score == 0.9
    assert not found.has_numeric_content


def test_a_neighbour_is_quoted_where_it_adds_to_it() -> None:
    sought = "Training raised reading scores, a gain after two terms of lessons"
    (found,) = evidence_spans(TEXT, sought, [0.1, 0.9, 0.2, 0.1])
    assert found.quote.endswith("of lessons.")
    assert found.has_numeric_content


def test_offsets_are_those_of_the_document() -> None:
    found = evidence_spans(TEXT, "scores", [0.4, 0.9, 0.5, 0.1], offset=100)
    assert [one.relevance_score for one in found] == [0.9, 0.5, 0.4]
    for one in found:
        assert TEXT[one.start_offset - 100 : one.end_offset - 100] == one.quote


def test_scores_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="1 scores for 4 sentences"):
        evidence_spans(TEXT, "scores", [0.4])


def test_a_span_is_as_long_as_its_quote() -> None:
    with pytest.raises(ValidationError, match="not as long"):
        EvidenceSpan(
            quote="abc", start_offset=0, end_offset=5, relevance_score=1, has_numeric_content=False
        )


@given(
    st.lists(
        st.sampled_from(["Dr. A. B. said so.", TEXT, "x " * 300 + ".", "3.5 mg. No!"]), max_size=5
    ),
    st.sampled_from(["training scores", "gain", ""]),
    st.data(),
)
def test_every_quote_stands_at_its_offsets(
    pieces: list[str], sought: str, data: st.DataObject
) -> None:
    text = "\n".join(pieces)
    sentences = quotable_spans(text)
    scores = data.draw(st.lists(st.floats(0, 1), min_size=len(sentences), max_size=len(sentences)))
    found = evidence_spans(text, sought, scores)
    starts, ends = {a for a, _ in sentences}, {b for _, b in sentences}
    for one in found:
        assert text[one.start_offset : one.end_offset] == one.quote
        assert one.start_offset in starts
        assert one.end_offset in ends
        whole = (one.start_offset, one.end_offset) in sentences
        assert whole or len(one.quote) <= MAX_CHARACTERS
    taken = sorted((one.start_offset, one.end_offset) for one in found)
    assert all(a[1] <= b[0] for a, b in pairwise(taken))


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
    assert starts_with_anaphor(sentence)


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
    assert not starts_with_anaphor(sentence)


def test_a_quote_is_not_lengthened_by_what_points_back_itself():
    text = (
        "Ponds cool the street at night. This extends the cooling effect of lakes to ponds and "
        "rivers. The ponds were 1.7 K cooler at the shore than the reference street."
    )
    scores = [0.2, 0.2, 0.9]
    best = evidence_spans(text, "cooling effect of ponds, lakes and rivers", scores)[0]
    assert best.quote.startswith("The ponds")
