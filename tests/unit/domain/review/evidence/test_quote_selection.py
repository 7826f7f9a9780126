"""Quotes that are kept for a report, and why others are left."""

from support.research.quotes import DENIES, FALLS, OTHER

from citeloom.domain.review.evidence.answering import QuoteCandidate, select_quotes


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
    chosen = select_quotes(candidates(("a", FALLS, 0.9), ("b", OTHER, 0.5)), [], 5)
    assert [one.document_id for one in chosen.quotes] == ["a"]
    assert "not specific enough" in chosen.reasons["b"]


def test_the_best_of_another_query_does_not_make_a_quote_less():
    first, second = candidates(("a", FALLS, 0.9), ("a", OTHER, 0.6))
    assert len(select_quotes([first, second], [], 5).quotes) == 1
    assert len(select_quotes([first, second._replace(best=0.6)], [], 5).quotes) == 2


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


def test_a_document_that_was_not_heard_may_say_less():
    mine = [
        QuoteCandidate("a", n * 100, n * 100 + 50, f"Sentence {n} of ponds.", 0.9) for n in (1, 2)
    ]
    other = QuoteCandidate("b", 0, 50, "No such thing is seen beside lakes.", 0.6)
    again = QuoteCandidate("a", 900, 950, "Something else of rivers.", 0.6)
    chosen = select_quotes([*mine, other, again], [], 8)
    assert other in chosen.quotes
    assert again not in chosen.quotes


def test_a_first_quotation_may_be_less_probable_than_further_ones():
    found = candidates(("a", FALLS, 0.3), ("b", OTHER, 0.28))
    assert [one.document_id for one in select_quotes(found, [], 5).quotes] == ["a"]
    assert select_quotes(candidates(("a", FALLS, 0.04)), [], 5).quotes == ()
    assert select_quotes(found, found[:1], 5).is_known


def test_what_is_not_exact_gives_way_to_the_next():
    found = candidates(("a", FALLS, 0.9), ("b", OTHER, 0.5))
    chosen = select_quotes(found, [], 5, lambda one: one.document_id != "a")
    assert [one.document_id for one in chosen.quotes] == ["b"]
    assert "another reading" in chosen.reasons["a"]
    assert not select_quotes(found, [], 5, lambda _: False).is_known
    known, new = candidates(("a", FALLS, 0.9)), candidates(("b", OTHER, 0.8), ("c", DENIES, 0.5))
    assert not select_quotes([*known, *new], known, 5, lambda one: one != new[0]).quotes


def test_what_is_quoted_already_is_known():
    found = candidates(("a", FALLS, 0.9))
    assert select_quotes(found, found, 5).is_known
    assert not select_quotes([], found, 5).is_known
    assert not select_quotes(candidates(("b", OTHER, 0.1)), found, 5).is_known
