"""How probably sentences answer a question, by closeness, second readings, words and kind."""

import pytest
from support.cases import each

from citeloom.domain.review.evidence.answering import (
    MIN_RELEVANCE,
    UNREAD,
    AskedQuestion,
    Signals,
    answer_probability,
    asked_question,
    denies_relation,
    says_the_opposite,
)
from citeloom.domain.review.planning.plan import question_terms

HELPS = "Do ponds help sleepers?"
MIDDLING = Signals(0.5, -1.0, 1)


def asked(text: str) -> AskedQuestion:
    return asked_question(text, question_terms(text))


def probability(
    question: str,
    sentence: str,
    signals: Signals = MIDDLING,
    context: str = "",
    heading: str = "Results",
) -> float:
    return answer_probability(asked(question), sentence, context, (heading,), signals)


@pytest.mark.parametrize(
    "better",
    [
        MIDDLING._replace(closeness=0.6),
        MIDDLING._replace(odds=0.0),
        MIDDLING._replace(rank=0),
    ],
)
def test_each_signal_raises_the_probability(better: Signals):
    sentence = "Ponds cool the street."
    assert probability(HELPS, sentence, better) > probability(HELPS, sentence)


def test_what_was_not_read_again_can_still_be_quoted():
    unread = Signals(0.8, UNREAD, 0)
    assert probability(HELPS, "Ponds help sleepers.", unread) >= MIN_RELEVANCE


def test_words_of_the_context_count():
    alone = probability(HELPS, "Water cools.")
    assert probability(HELPS, "Water cools.", context="Ponds for sleepers") > alone


def test_expectations_are_not_results():
    question = "Do small ponds cool the street?"
    expected = "We expected small ponds to cool the street by two degrees more."
    assert probability(question, expected) == 0
    assert probability("How were small ponds chosen?", expected) > 0


def test_what_others_found_ranks_lower():
    own = "Ponds cool the street."
    assert probability(HELPS, f"Smith (2019) says: {own}") < probability(HELPS, own)


def test_who_found_no_relation_is_heard():
    one = asked("Does planting trees help cool a street?")
    found = "Streets with trees were 0.1 K cooler, so that we found no advantage of them."
    assert denies_relation(one, found)
    other = found.replace("no advantage", "an advantage")
    assert not denies_relation(one, other)
    assert probability(one.text, found) > probability(one.text, other)
    assert not denies_relation(asked("Who planted the trees?"), found)
    for affirmed in ("not only", "not just", "There is no doubt that they", "It is not surprising"):
        assert not denies_relation(one, f"Trees {affirmed} help the street.")
    assert not denies_relation(one, "Fences have no effect on the street.")
    assert denies_relation(asked("Is the street affected by trees?"), "Trees have no effect.")
    assert not denies_relation(asked("How do causally ordered messages cool a street?"), found)


@each(
    ("sentence", "is_opposite"),
    [
        ("A study shows that ponds are easier to dig than lakes.", True),
        ("A study shows that ponds are harder to dig than lakes.", False),
        ("Lakes are easier to dig than ponds.", False),
        ("The banks of lakes are easier to see.", False),
    ],
)
def test_the_opposite_of_what_a_question_supposes(sentence: str, is_opposite: bool):
    assert says_the_opposite("Why are ponds harder to dig than lakes?", sentence) is is_opposite
