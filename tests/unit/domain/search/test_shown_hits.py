"""The sentence that stands for a hit: its best one, no heading, and what is kept of a result."""

from support.cases import each

from citeloom.domain.search.hits import key_sentence, text_below_headings
from citeloom.domain.search.request import QueryResultItem

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


@each(
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


@each(
    ("path", "text", "below"),
    [
        (("Abstract",), "Abstract\n\nPonds cool.", "Ponds cool."),
        (("3 Results", "3.1 Air"), "3 Results\n\n3.1 Air\n\nIt cools.\n\nSo.", "It cools.\n\nSo."),
        (("Results",), "3 Results\n\n3.1 Air\n\nIt cools.", "3.1 Air\n\nIt cools."),
        (("Results",), "It cools.\n\nResults\n\nSo.", "It cools.\n\nResults\n\nSo."),
        (("Results",), "Results", "Results"),
        ((), "Ponds cool.", "Ponds cool."),
    ],
)
def test_headings_that_are_told_beside_a_passage_are_not_said_in_it_again(
    path: tuple[str, ...], text: str, below: str
) -> None:
    hit = item(None, text).model_copy(update={"section_path": path})
    assert text_below_headings(hit) == below
