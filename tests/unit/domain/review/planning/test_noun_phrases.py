"""Runs of words that name something."""

import pytest

from citeloom.domain.review.planning.noun_phrases import is_noun_phrase, word_usage

TEXTS = [
    "The decay length is short. Active learning helps. They want to help students, and can help "
    "them. Authors retain the copyright. By helping students we learn. Students reflecting on it "
    "read the text. Adults read the papers of the survey. The course on machine learning is full.",
]


@pytest.mark.parametrize(
    "term", ["decay length", "active learning", "machine learning", "statistics course"]
)
def test_terms_of_the_texts_are_noun_phrases(term: str) -> None:
    assert is_noun_phrase(term.split(), word_usage(TEXTS))


@pytest.mark.parametrize(
    "piece",
    ["help students", "helping students", "students reflecting", "adults read", "authors retain"],
)
def test_pieces_of_sentences_are_no_noun_phrases(piece: str) -> None:
    assert not is_noun_phrase(piece.split(), word_usage(TEXTS))
