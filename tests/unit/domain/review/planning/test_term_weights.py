"""Words of a question, and how much of them a text has."""

import pytest
from support.cases import each

from citeloom.domain.review.planning.plan import acronyms_in, question_terms, question_words
from citeloom.domain.text.terms import DocumentFrequencies

SPREAD = DocumentFrequencies(
    100, {"student": 60, "work": 40, "graded": 3, "automatically": 3, "anxiety": 0}
)


def test_a_rare_word_tells_more_than_one_that_most_passages_have() -> None:
    asked = question_terms("How is student work graded automatically?", SPREAD)
    assert asked.share("It grades notebooks.") > 2 * asked.share("Students like it.")
    assert asked.share("Student work is automatically graded.") == pytest.approx(1.0)
    assert asked.share("Nothing of it.") == 0.0


def test_words_that_any_question_has_tell_little() -> None:
    asked = question_terms("What challenges does mindfulness have?")
    assert question_words("What challenges does mindfulness have?") == ("mindfulness", "challenges")
    assert asked.share("Mindfulness was taught.") > 0.7
    assert asked.share("There are many challenges.") < 0.3


@each(
    ("word", "form"),
    [
        ("taught", "teaching"),
        ("cools", "cooling"),
        ("learn", "learners"),
        ("reproducibility", "reproducible"),
        ("children", "child"),
    ],
)
def test_a_word_is_found_in_its_other_forms(word: str, form: str) -> None:
    assert question_terms(f"Is {word} there?").share(f"There is {form}.") == 1.0


def test_words_that_only_begin_alike_are_others() -> None:
    assert question_terms("effect").share("Effigies were presented.") == 0.0


def test_words_that_no_passage_has_are_told_as_they_were_asked() -> None:
    assert question_terms("Does student work reduce anxiety?", SPREAD).absent == (
        "reduce",
        "anxiety",
    )
    assert question_terms("Does student work reduce anxiety?").absent == ()


def test_short_forms_stand_for_their_words_and_words_for_their_short_forms() -> None:
    asked = question_terms("high-performance computing")
    assert asked.share("The HPC is in the cellar.") == 1.0
    assert question_terms("HPC").share("High-performance computing is expensive.") == 1.0
    assert question_terms("HPC").share("High costs.") == 0.0
    # "used" has no weight of its own
    assert question_terms("least recently used caching").share("The LRU of caching.") == 1.0
    assert acronyms_in("high-performance computing", ["use HPC, the CFD"]) == ("HPC",)
    assert acronyms_in("HPC: high-performance computing", ["use HPC"]) == ()
