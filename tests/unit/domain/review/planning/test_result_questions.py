"""Results are told from intentions, methods and definitions."""

from support.cases import each

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
