"""What is taken of a language model's proposals, and what is not."""

from support.cases import each

from citeloom.domain.text.phrasing import extract_json
from citeloom_maps.domain.refinement import better_summary, better_title, is_supported

TEXT = (
    "2.1 Results. On warm evenings the ponds cooled the air of the street by 1.5 degrees, and "
    "at 100 metres the effect was gone. Efﬁciency fell with wind."
)


@each(
    ("said", "known"),
    [
        ("Ponds cool the street by 1.5 degrees on warm evenings.", True),
        ("Ponds cool the street by 5 degrees on warm evenings.", False),
        ("Ponds cool the street by 10 degrees.", False),
        ("The efficiency of cooling falls with the wind.", True),
        ("Quantum annealing beats classical optimisation.", False),
        ("IV", False),
        ("", False),
    ],
)
def test_numbers_and_most_words_must_stand_in_the_text(said: str, known: bool) -> None:
    assert is_supported(said, TEXT) is known


def test_scripts_without_spaces() -> None:
    text = "池塘在夏季的傍晚使街道降温，效果在一百米处消失。"
    assert is_supported("池塘使街道降温", text)
    assert not is_supported("量子计算机的新算法", text)


@each(
    ("old", "new", "own", "taken"),
    [
        ("2.1 Results", "2.1 Results: ponds cool the street", True,
         "2.1 Results: ponds cool the street"),
        ("2.1 Results", "Ponds cool the street", True, None),
        ("On warm evenings the ponds…", '"Ponds cool the street"', False, "Ponds cool the street"),
        ("2.1 Results", "2.1 Results", True, None),
        ("2.1 Results", "2.1 Results " + "pond " * 40, True, None),
        ("2.1 Results", "2.1 Results: \x1b[31m ponds", True, None),
        ("2.1 Results", "2.1 Results: 99 ponds", True, None),
        ("2.1 Results", 7, True, None),
        ("2.1 Results", None, True, None),
        ("2.1 Results", "   ", True, None),
        (None, "Ponds cool\nthe street", True, "Ponds cool the street"),
    ],
)  # fmt: skip
def test_a_better_title_is_taken_only_if_it_keeps_the_own_one_and_the_text_bears_it_out(
    old: str | None, new: object, own: bool, taken: str | None
) -> None:
    assert better_title(old, new, TEXT, own=own) == taken


def test_a_better_summary_is_taken_only_if_the_text_bears_it_out() -> None:
    assert better_summary("Old.", "Ponds  cool the\nstreet by 1.5 degrees.", TEXT) == (
        "Ponds cool the street by 1.5 degrees."
    )
    for nonsense in ("Ponds.", "Ponds cool the air. " * 60, ["Ponds cool the street."], None):
        assert better_summary("Old.", nonsense, TEXT) is None
    long = "The ponds cooled the air of the street on warm evenings. " * 4
    found = better_summary(None, long, TEXT)
    assert found is not None
    assert len(found) <= 160


@each(
    ("text", "found"),
    [
        ('{"a": 1}', {"a": 1}),
        ('Here you are:\n```json\n{"a": 1}\n```\nGood luck!', {"a": 1}),
        ('Sure! {"a": [1]} I hope that helps.', {"a": [1]}),
        ("The list: [1, 2]", [1, 2]),
        ('{"a": 1', None),
        ("[" * 100_000, None),
        ("", None),
    ],
)
def test_json_is_found_between_other_words(text: str, found: object) -> None:
    assert extract_json(text) == found
