"""The relevance of the sentences that are read with a question."""

from collections.abc import Sequence

from support.stores.passages import passage

from citeloom.application.review.roles import Candidate, Paragraph, SentenceRelevance

QUESTION = "Do ponds cool the street?"


def candidate(number: int) -> Candidate:
    text = f"Sentence {number} says what ponds do."
    return Candidate(passage("d", number), Paragraph(0, text), text, (0, len(text)), 0.5)


def relevances(*odds: float) -> Sequence[float]:
    """Of sentences that differ by their log-odds alone."""
    candidates = [candidate(number) for number in range(len(odds))]
    relevance = SentenceRelevance(
        lambda _, others: [0.5] * len(others), lambda _: None, lambda _, __: odds
    )
    ranks = {one.passage.chunk.id: 0 for one in candidates}
    return [found for _, found in relevance.relevances(QUESTION, QUESTION, candidates, ranks)]


def test_a_sentence_behind_four_others_loses_more_than_its_odds():
    *_, fourth, fifth = relevances(2.0, 1.5, 1.0, 0.001, 0.0)
    assert fourth - fifth > 0.1


def test_sentences_of_equal_odds_share_a_place():
    found = relevances(2.0, 2.0, 2.0, 1.0, 1.0, 1.0)
    assert found[-1] == found[3]
    assert found[-1] > relevances(2.0, 1.8, 1.6, 1.4, 1.0)[-1]
