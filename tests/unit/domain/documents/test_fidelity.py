"""Stored text against an independent reading of the page."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from citeloom.domain.documents.fidelity import (
    DocumentFidelity,
    PageFidelity,
    compare_page,
    words_of,
)

WORD = st.text("abcdefghijklmnopqrstuvwxyzéßł0123456789", min_size=1, max_size=9)
WORDS = st.lists(WORD, min_size=2, max_size=60)
SENTENCE = (
    "averaged over the four ponds and all evenings the air was cooler than in the street at five "
    "metres from each shore whatever wind blew that day"
)


@given(WORDS)
def test_equal_text_is_wholly_kept_and_true(words: list[str]) -> None:
    page = compare_page(1, " ".join(words), [" ".join(words)])
    assert page.least == page.pairs_kept == 1.0
    assert not page.is_uncertain


@given(
    st.integers(2, 40).flatmap(lambda count: st.permutations([f"word{n}" for n in range(count)]))
)
def test_in_another_order_words_stay_and_pairs_fall(shuffled: list[str]) -> None:
    ordered = [f"word{number}" for number in range(len(shuffled))]
    page = compare_page(1, " ".join(ordered), [" ".join(shuffled)])
    assert page.words_kept == page.words_true == 1.0
    assert (page.pairs_true < 1.0) == (page.pairs_kept < 1.0) == (shuffled != ordered)


@given(WORDS, st.integers(1, 20))
def test_lost_words_lower_what_is_kept_and_added_ones_what_is_true(
    words: list[str], lost: int
) -> None:
    whole, part = " ".join([*words, *["lost"] * lost]), " ".join(words)
    less, more = compare_page(1, whole, [part]), compare_page(1, part, [whole])
    assert less.words_kept < 1.0 == less.words_true
    assert more.words_true < 1.0 == more.words_kept


def test_a_paragraph_stored_twice_is_not_true() -> None:
    assert compare_page(1, SENTENCE, [SENTENCE, SENTENCE]).words_true == 0.5


@each(
    ("reading", "stored"),
    [
        ("an exam-\r\nple of it", "an example of it"),
        ("an exam\ufffe\r\nple of it", "an example of it"),
        ("self-\nmade", "self-made"),
        ("a self-made man", "a self\u2010made man"),
        ("the e\ufb03cient ﬂow", "the efficient flow"),
        ("Erd\u00a8os and Erdo\u0308s", "Erdös and Erdős"),
        ("THE TITLE", "The Title"),
        ("one,\r\ntwo; (three)", "One two three"),
    ],
)
def test_spelling_makes_no_difference(reading: str, stored: str) -> None:
    assert compare_page(1, reading, [stored]).least == 1.0


def test_without_spaces_every_character_is_a_word() -> None:
    assert words_of("東京は\n大きい") == [*"東京は大きい"]
    assert compare_page(1, "東京は大\nきい町", ["東京は大きい町"]).least == 1.0


def test_the_order_of_tables_and_the_words_of_figures_are_not_held_against_a_page() -> None:
    reading = f"{SENTENCE} a 1 b 2 c 3 axis of the figure"
    page = compare_page(1, reading, [SENTENCE], ["a b c", "1 2 3"], ["figure the of axis"])
    assert page.least == 1.0
    assert page.pairs_kept < 1.0


def test_a_page_with_hardly_any_words_is_not_judged_by_shares() -> None:
    assert not compare_page(1, "one two three", ["four"]).is_uncertain
    assert compare_page(1, SENTENCE, ["four"]).is_uncertain


def test_undecodable_characters_make_a_page_uncertain() -> None:
    page = compare_page(1, SENTENCE, [SENTENCE])
    assert page.model_copy(update={"undecodable": 0.03}).is_uncertain
    assert not page.model_copy(update={"undecodable": 0.01}).is_uncertain


def test_a_page_is_better_if_it_passes_or_is_clearly_nearer() -> None:
    failed, nearer = a_page(1, 0.5), a_page(1, 0.53)
    assert a_page(1, 0.9).is_better_than(failed)
    assert not nearer.is_better_than(failed)
    assert a_page(1, 0.56).is_better_than(failed)


def a_page(page: int, share: float, words: int = 100) -> PageFidelity:
    return PageFidelity(
        page=page,
        words=words,
        words_kept=share,
        words_true=1.0,
        pairs_kept=share,
        pairs_true=1.0,
    )


def test_a_document_names_its_pages() -> None:
    compared = [a_page(1, 1.0), a_page(2, 0.6, words=300), a_page(4, 0.95), a_page(5, 0.2)]
    document = DocumentFidelity.of(compared, range(1, 6))
    assert document is not None
    assert document.pages == 4
    assert document.words_kept == pytest.approx((100 + 180 + 95 + 20) / 600, abs=1e-4)
    assert document.uncertain == (2, 5)
    assert document.unknown == (3,)
    assert [page.page for page in document.worst] == [5, 2, 4]


def test_what_was_not_compared_is_not_known() -> None:
    assert DocumentFidelity.of([], [1, 2]) is None
    document = DocumentFidelity.of([a_page(1, 1.0), a_page(2, 0.1)], [1, 2, 3])
    assert document is not None
    assert document.is_uncertain([1]) is False
    assert document.is_uncertain([1, 2, 3]) is True
    assert document.is_uncertain([1, 3]) is None
    assert document.is_uncertain([]) is None
