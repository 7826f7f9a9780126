"""Questions taken apart."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.review.planning.question_splitting import split_question


def texts(question: str) -> list[str]:
    return [part.text for part in split_question(question)]


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("How do ponds cool streets?", ["How do ponds cool streets?"]),
        (
            "How do ponds cool streets and what does it depend on?",
            ["How do ponds cool streets?", "What does it depend on?"],
        ),
        (
            "Why do students drop out, and how can it be prevented and when?",
            ["Why do students drop out?", "How can it be prevented and when?"],
        ),
        ("What helps? What harms?", ["What helps?", "What harms?"]),
        (
            "How do ponds cool streets, what is a grid, does re-reading help, and why?",
            ["How do ponds cool streets?", "What is a grid?", "Does re-reading help, and why?"],
        ),
        (
            "How do ponds, which are small, cool streets, and what do they cost?",
            ["How do ponds, which are small, cool streets?", "What do they cost?"],
        ),
        (
            "I teach statistics. How do students learn it?",
            ["I teach statistics. How do students learn it?"],
        ),
        (
            "What is the error of a square grid versus transect sampling for small ponds?",
            [
                "What is the error of a square grid versus transect sampling for small ponds?",
                "What is the error of a square grid for small ponds?",
                "What is the error of a transect sampling for small ponds?",
            ],
        ),
        (
            "What is the difference between active learning and lectures in physics?",
            [
                "What is the difference between active learning and lectures in physics?",
                "Active learning in physics?",
                "Lectures in physics?",
            ],
        ),
        (
            "How does Python compare to R for teaching?",
            [
                "How does Python compare to R for teaching?",
                "Python for teaching?",
                "R for teaching?",
            ],
        ),
        (
            "How do wind, distance and pond size affect the cooling?",
            [
                "How do wind, distance and pond size affect the cooling?",
                "How do wind affect the cooling?",
                "How do distance affect the cooling?",
                "How do pond size affect the cooling?",
            ],
        ),
    ],
)
def test_several_questions_in_one_are_split(question: str, parts: list[str]):
    assert texts(question) == parts


@pytest.mark.parametrize(
    "question",
    [
        "What is known about the relationship between rereading and recall?",
        "Does the soil matter as much as the water and the wind?",
        "Which tools are free or open?",
        "What do supply and demand say?",
    ],
)
def test_one_question_stays_whole(question: str):
    assert texts(question) == [question]


def test_a_part_that_points_back_has_the_words_of_what_it_points_to():
    whole, part = split_question("Which open tools support teaching, and are they free?")
    assert whole.subject == ""
    assert "tools" in part.subject


def test_sides_and_items_belong_to_a_whole():
    assert [part.of_whole for part in split_question("Grids versus transects?")] == [
        False,
        True,
        True,
    ]


@given(st.text(alphabet=st.sampled_from("aB ,;?.!-() and or versus how what\n"), max_size=120))
def test_any_text_gives_parts_that_say_something(question: str):
    parts = split_question(f"x{question}")
    assert parts
    assert len(set(parts)) == len(parts)
    assert all(part.text.strip() for part in parts)


@given(st.lists(st.sampled_from(["how", "wind", "and", "or", "versus", "between", "a", ",", "?"])))
def test_parts_are_made_of_the_words_of_the_question(words: list[str]):
    question = " ".join(["what", *words])
    known = set(question.replace("?", " ").replace(",", " ").casefold().split())
    for part in split_question(question):
        told = part.text.replace("?", " ").replace(",", " ").casefold().split()
        assert set(told) <= known


def test_sides_with_articles_of_their_own_keep_them() -> None:
    asked = [
        part.text
        for part in split_question("What is the error of a square grid versus a transect?")
    ]
    assert asked[1:] == ["What is the error of a square grid?", "What is the error of a transect?"]
    asked = [
        part.text for part in split_question("What is the effect of grids compared to points?")
    ]
    assert asked[1:] == ["What is the effect of grids?", "What is the effect of points?"]
