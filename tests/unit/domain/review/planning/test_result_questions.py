"""Results are told from intentions, methods and definitions."""

from support.cases import each

from citeloom.domain.review.planning.questions import result_score
from citeloom.domain.search.wants import asks_for_results


@each(
    "question",
    [
        "Does spaced re-reading help recall?",
        "What effects on student learning were found?",
        "How does the cooling beside ponds depend on distance?",
        "Is a grid better than a transect?",
        "How many students took part?",
        "What is the effect of wind?",
        "What do the papers find about notebooks?",
    ],
)
def test_what_asks_for_results(question: str) -> None:
    assert asks_for_results(question)


@each(
    "question",
    [
        "What is the Hartree-Fock method?",
        "What is spaced repetition?",
        "How is student work graded automatically?",
        "How can reproducibility be taught?",
        "Who invented the zeppelin?",
        "How do authors define a pond?",
        "Where was the air measured?",
    ],
)
def test_what_asks_for_something_else(question: str) -> None:
    assert not asks_for_results(question)


RESULT = "Readers with a gap recalled 11.8 percentage points more than those without one."
MOTIVE = "This paper aims to describe whether a gap between two readings should help recall."
METHOD = "We measured recall after fourteen days with a list of forty idea units per text."


def test_a_result_in_the_results_counts_most_and_an_intention_least() -> None:
    found = result_score(RESULT, ("3 Results", "3.1 Recall"))
    assert found > 0.8
    assert found > result_score(RESULT, ("1 Introduction",)) > 0
    for sentence in (MOTIVE, METHOD):
        assert result_score(sentence, ("2 Methods",)) < 0
    assert all(-1 <= result_score(MOTIVE, (one,)) <= 1 for one in ("Aims", "Results"))


@each(
    "sentence",
    [
        "Ponds are said to cool the town around them, but most measurements come from lakes.",
        "The primary study endpoint was a reduction of the headaches by a half.",
        "We wished to know how strong the cooling is at the shore.",
        "We therefore compared four schedules under conditions close to ordinary work.",
    ],
)
def test_what_is_said_wished_or_done_is_no_result(sentence: str) -> None:
    assert result_score(sentence, ()) < 0


def test_the_innermost_heading_that_tells_decides() -> None:
    plain = "The cat sat on the mat."
    assert result_score(plain, ("Results", "Participants")) < 0
    assert result_score(plain, ("Methods", "Outcomes")) > 0
    assert result_score(plain, ("Results", "A gap helps")) > 0
    assert result_score(plain, ()) > 0


def test_a_statement_by_any_verb_is_a_result() -> None:
    for sentence in (
        "Dry banks halve the cooling beside ponds.",
        "Whoever waited kept two thirds.",
    ):
        assert result_score(sentence, ("3 Results",)) > 0.5
