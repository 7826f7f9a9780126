"""How sure a sentence sounds, by the table of the cases."""

from typing import Any

import pytest
from support.cases import each
from support.paths import cases

from citeloom.domain.review.checking import CertaintyLevel, certainty, certainty_level

CONFIDENCE: dict[str, Any] = cases("deep_research_citations")["confidence"]


@each("row", CONFIDENCE["cases"])
def test_certainty_has_the_score_and_level_of_the_contract(row: dict[str, Any]) -> None:
    found = certainty(row["claim"], row.get("evidence", ""))
    assert found >= row.get("score_min", 0.0)
    if "level" in row:
        assert certainty_level(found) is CertaintyLevel(row["level"])


def test_a_neutral_sentence_is_neither_high_nor_low() -> None:
    assert certainty("Ponds cool the air.") == CONFIDENCE["base"]
    assert certainty_level(certainty("Ponds cool the air.")) is CertaintyLevel.MEDIUM


@pytest.mark.parametrize(
    "sentence", ["The Mayor cools the air.", "The roundabout is hot.", "It is about ponds."]
)
def test_hedges_are_whole_words(sentence: str) -> None:
    assert certainty(sentence) == CONFIDENCE["base"]


def test_phrases_that_overlap_count_once() -> None:
    assert certainty("As stated in the plan, ponds cool.") == pytest.approx(
        CONFIDENCE["base"] + CONFIDENCE["per_high_phrase"]
    )
