"""The sentence that stands for a hit: its best one, no heading, and what is kept of a result."""

import pytest

from citeloom.domain.search.request import QueryResultItem
from citeloom.domain.search.shown_hits import key_sentence

TEXT = (
    "2.1 A gap between two readings helps\n\nTwo readings with a gap are better.\n\n"
    "Readers of both groups recalled the gap and the reading after two weeks."
)


def item(best: str | None, text: str = TEXT) -> QueryResultItem:
    return QueryResultItem(
        rank=1, score=0.5, text=text, title="On re-reading", document_id="d" * 64, chunk_id="c",
        char_span=(0, len(text)), section_path=("2.1 A gap between two readings helps",),
        address="doc://dddd#pages=1", knowledge_uri="ndk://file/p/d/$chunk/00",
        source_path="/d.pdf", best_sentence=best, matched=("gap", "reading"),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("best", "told"),
    [
        ("Two readings with a gap are better.", "Two readings with a gap are better."),
        (TEXT[:73], "Two readings with a gap are better."),
        ("2.1 A gap between two readings helps", "Two readings with a gap are better."),
        (None, "Two readings with a gap are better."),
    ],
)
def test_a_heading_is_no_sentence(best: str | None, told: str) -> None:
    assert key_sentence(item(best)) == told


def test_without_scores_the_sentence_with_most_words_of_the_question_is_told() -> None:
    text = "We measured twice. That was long enough.\n\nThe gap and the reading mattered to all."
    assert key_sentence(item(None, text)) == "The gap and the reading mattered to all."
    assert key_sentence(item(None, "")) == ""
