"""How well sentences answer a question, by closeness, covered words and kind."""

from collections.abc import Mapping

from citeloom.domain.review.evidence.answering import (
    AskedQuestion,
    Closenesses,
    answer_score,
    asked_question,
    coverage,
    covered_words,
    denies_relation,
    is_answer,
)
from citeloom.domain.review.planning.plan import question_terms

HELPS = "Do ponds help sleepers?"


def asked(text: str) -> AskedQuestion:
    return asked_question(text, question_terms(text))


def covered(
    question: str, sentence: str, shorter: Mapping[str, float] | None = None, context: str = ""
) -> Mapping[str, float]:
    return covered_words(asked(question), sentence, context, Closenesses(0.5, shorter or {}))


def test_a_word_is_covered_by_itself_its_context_or_a_paraphrase():
    assert covered(HELPS, "Ponds cool the street.")["ponds"] == 1.0
    assert 0 < covered(HELPS, "Water cools.", context="Ponds")["ponds"] < 1.0
    assert covered(HELPS, "Small lakes cool.", {"ponds": 0.42})["ponds"] == 1.0
    assert covered(HELPS, "Small lakes cool.", {"ponds": 0.48})["ponds"] < 0.5


def test_a_word_without_which_the_question_is_closer_counts_against_a_sentence():
    assert covered(HELPS, "Trees cool.", {"ponds": 0.6})["ponds"] < 0
    less = coverage(asked(HELPS), covered(HELPS, "Sleepers rest.", {"ponds": 0.6}))
    assert less < coverage(asked(HELPS), covered(HELPS, "Sleepers rest.", {"ponds": 0.5}))


def answers(question: str, sentence: str, heading: str = "Results") -> bool:
    one = asked(question)
    return is_answer(one, sentence, (heading,), covered(question, sentence), sentence)


def test_both_sides_of_a_relation_are_spoken_of():
    assert answers(HELPS, "Ponds were better for sleepers than lakes.")
    assert not answers(HELPS, "Ponds were better for frogs than lakes.")
    assert answers("What is the effect of ponds on sleepers?", "Ponds calm all sleepers.")


def test_any_verb_relates_both_sides():
    assert answers(HELPS, "Ponds soothe sleepers.")


def test_methods_are_no_results():
    assert not answers(HELPS, "We placed sleepers beside ponds and more.", "Methods")
    assert answers("How were sleepers placed beside ponds?", "Sleepers were placed beside ponds.")


def test_expectations_are_no_results():
    question = "Do small ponds cool the street?"
    assert answers(question, "Small ponds cool the street by more than two degrees.")
    assert not answers(question, "We expected small ponds to cool the street by two degrees more.")


def test_who_found_no_relation_is_heard_in_words_farther_from_the_question():
    one = asked("Does planting trees help cool a street?")
    parts = {"planting": 0.4, "trees": 1.0, "cool": 0.2, "street": 0.6}
    found = "Streets with trees were 0.1 K cooler, so that we found no advantage of them."
    assert denies_relation(one, found)
    assert is_answer(one, found, ("Results",), parts)
    assert not is_answer(one, found.replace("no advantage", "an advantage"), ("Results",), parts)
    assert not denies_relation(asked("Who planted the trees?"), found)


def test_difficulties_are_told_where_they_are_asked_for():
    question = "What makes it hard to sleep beside ponds?"
    assert answers(question, "To sleep beside ponds is difficult.")
    assert not answers(question, "We sleep beside ponds all summer.")


def test_a_number_and_a_cause_count_where_they_are_asked_for():
    many = asked("How many frogs do ponds have?")
    with_number = answer_score(many, "Ponds have 12 frogs.", (), 0.5, 0.5)
    assert with_number > answer_score(many, "Ponds have frogs.", (), 0.5, 0.5)
    why = asked("Why do ponds cool?")
    cause = answer_score(why, "Ponds cool because water evaporates.", (), 0.5, 0.5)
    assert cause > answer_score(why, "Ponds cool the town.", (), 0.5, 0.5)
    sure = answer_score(why, "Ponds cool.", (), 0.5, 0.5)
    assert sure > answer_score(why, "Ponds might cool.", (), 0.5, 0.5)
