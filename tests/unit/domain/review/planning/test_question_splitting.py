"""Questions taken apart."""

from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from citeloom.domain.review.planning.questions import split_question


def texts(question: str) -> list[str]:
    return [part.text for part in split_question(question)]


@each(
    ("question", "parts"),
    [
        ("How do ponds cool streets?", ["How do ponds cool streets?"]),
        (
            "How do ponds cool streets and what does it depend on?",
            ["How do ponds cool streets and what does it depend on?"],
        ),
        ("What helps? What harms?", ["What helps?", "What harms?"]),
        (
            "Which ponds, such as lakes, cool, and how do grids help readers?",
            ["Which ponds, such as lakes, cool?", "How do grids help readers?"],
        ),
        (
            "How do ponds cool streets, what is a grid, does re-reading help, and why?",
            ["How do ponds cool streets?", "What is a grid?", "Does re-reading help, and why?"],
        ),
        (
            "Does a gap help, and at what cost in time? What is a grid, and when does it fail?",
            [
                "Does a gap help, and at what cost in time?",
                "What is a grid, and when does it fail?",
            ],
        ),
        (
            "I teach statistics. How do students learn it?",
            ["I teach statistics. How do students learn it?"],
        ),
    ],
)
def test_several_questions_in_one_are_split(question: str, parts: list[str]):
    assert texts(question) == parts


@each(
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


@each(
    ("question", "aspects"),
    [
        ("How do ponds cool, and why do they?", ("How do ponds cool?", "Why do ponds cool?")),
        (
            "Which open tools support teaching, and are they free?",
            ("Which open tools support teaching?", "Are open tools teaching free?"),
        ),
        (
            "Does a gap aid recall, and at what cost?",
            ("Does a gap aid recall?", "At what cost gap aid recall?"),
        ),
        (
            "How do wind, distance and pond size affect the cooling?",
            (
                "How do wind, distance and pond size affect the cooling?",
                "How do wind affect the cooling?",
                "How do distance affect the cooling?",
                "How do pond size affect the cooling?",
            ),
        ),
    ],
)
def test_clauses_that_point_back_and_items_are_aspects(question: str, aspects: tuple[str, ...]):
    (part,) = split_question(question)
    assert part.text == question
    assert part.aspects == aspects


@each(
    ("question", "names"),
    [
        ("What is the error of a square grid versus a transect?", ("square grid", "a transect")),
        ("What is the difference between lectures and labs in physics?", ("lectures", "labs")),
        ("How does Python compare to R for teaching?", ("Python", "R")),
        ("Is Python better than R for teaching?", ("Python", "R")),
        ("Grids versus transects?", ("Grids", "transects")),
        ("How much cooler is the air beside a pond than in the street?", ()),
        ("Which tools are free or open?", ()),
        ("Does it cost more than 5 pounds?", ()),
    ],
)
def test_names_on_both_sides_of_a_comparison(question: str, names: tuple[str, ...]):
    (part,) = split_question(question)
    assert part.compared == names


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
