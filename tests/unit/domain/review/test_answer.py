"""The text of a model, read as it comes."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.review.answer import TASK, WrittenText, dangling, request_text, sent_part

TEXT = "Ponds cool the air [2]. The effect ends at 59.5 m, e.g. in parks. [1, 3] Nights are cooler."
READ = [
    ("Ponds cool the air.", (2,)),
    ("The effect ends at 59.5 m, e.g. in parks.", (1, 3)),
    ("Nights are cooler.", ()),
]


def read(
    text: str, *asked: str, pieces: list[str] | None = None
) -> list[tuple[str, tuple[int, ...]]]:
    written = WrittenText(*asked)
    found = [one for piece in pieces or [text] for one in written.add(piece)]
    return [(one.text, one.numbers) for one in (*found, *written.end())]


@given(st.lists(st.integers(0, len(TEXT))))
def test_sentences_are_the_same_however_the_text_is_cut(cuts: list[int]) -> None:
    at = [0, *sorted(cuts), len(TEXT)]
    pieces = [TEXT[start:end] for start, end in pairwise(at)]
    assert read(TEXT, pieces=pieces) == READ


def test_a_sentence_is_given_when_the_next_one_has_begun() -> None:
    written = WrittenText()
    assert not list(written.add("Ponds cool the air. "))
    assert not list(written.add("[2"))
    assert not list(written.add("] "))
    (first,) = written.add("Larger ones ")
    assert (first.text, first.numbers) == READ[0]


@pytest.mark.parametrize(
    "text",
    [
        "Answer: Ponds cool the air [2].",
        "**Ponds** cool the air [^2].",
        "Ponds cool the air【2†source】.",
        "Ponds cool the air [Passage 2].",
        "Ponds cool the air (source 2).",
        "According to passage 2, ponds cool the air.",
        "Passage [2] states that ponds cool the air.",
        "- Ponds cool the air. [2]",
        "1. Ponds cool the air [2]<|im_end|>.",
        "Sure! Here is what I found:\n\nPonds cool the air [2].\n\nI hope that this helps you.",
        "Ponds cool the air [2]. Ponds cool the air [2]. Ponds cool the air [2].",
        "What do ponds do?\nPonds cool the air [2].",
        "<think>\nPonds warm the air [1].\n</think>\n\nPonds cool the air [2].",
    ],
)
def test_what_small_models_write_is_read(text: str) -> None:
    assert read(text, TASK) == READ[:1]


def test_ranges_and_several_numbers_are_read() -> None:
    assert read("Ponds cool the air [1-3].")[0][1] == (1, 2, 3)
    assert read("Ponds cool the air (sources 1 and 4).")[0][1] == (1, 4)
    assert read("Ponds cool the air [0, 99].")[0][1] == (0, 99)


@pytest.mark.parametrize(
    "text",
    [
        "NOT ANSWERED",
        "The provided passages do not contain information on that.",
        "None of the passages mentions frogs.",
        "Unfortunately, the text does not say how many.",
    ],
)
def test_a_model_may_decline(text: str) -> None:
    written = WrittenText()
    assert not [*written.add(text), *written.end()]
    assert written.declines


def test_a_paper_on_texts_is_not_taken_for_a_refusal() -> None:
    assert read("Open-source software does not include the licence [1].")
    assert read("Frogs do not mention it in their songs [1].")


def test_what_repeats_the_request_or_speaks_of_itself_is_left_out() -> None:
    assert not read(TASK, TASK)
    assert not read("<think>Ponds cool the air [1]. Or do they?")
    assert not read("As an AI language model, I cannot say that ponds cool by 5 K [1].")


def test_an_endless_answer_is_over() -> None:
    loop, long, many = WrittenText(), WrittenText(), WrittenText()
    for _ in range(20):
        list(loop.add("Ponds cool the air. "))
        list(many.add(""))
    assert loop.is_over
    list(long.add("x" * 13_000))
    assert long.is_over
    assert not list(long.end())
    text = "".join(f"Pond number {n} cools the air well. " for n in range(30))
    assert len([*many.add(text), *many.end()]) == 8
    assert many.is_over


def test_long_thoughts_are_not_the_answer() -> None:
    written = WrittenText()
    assert not list(written.add("<think>" + "Ponds warm the air. " * 2000))
    assert not written.is_over
    found = [*written.add("</think>Ponds cool the air [2]."), *written.end()]
    assert [one.text for one in found] == ["Ponds cool the air."]


def test_an_answer_that_was_cut_off_loses_its_last_sentence() -> None:
    written = WrittenText()
    list(written.add("Ponds cool the air [1]. The effect ends at 5"))
    assert [one.text for one in written.end(cut=True)] == ["Ponds cool the air."]


def test_passages_are_numbered_and_have_no_numbers_of_their_own() -> None:
    text = request_text("Why?", ["Ponds cool [12, 14].", "Grids\nare square [3–5]."])
    assert text == "Passages:\n\n[1] Ponds cool.\n\n[2] Grids are square.\n\nQuestion: Why?"


def test_the_part_that_is_sent_has_the_best_sentence_and_whole_sentences() -> None:
    sentences = [f"Sentence number {n} speaks of ponds at length." for n in range(60)]
    part = sent_part(" ".join(sentences), sentences[40])
    assert sentences[40] in part
    assert part.startswith("Sentence number")
    assert part.endswith("length.")
    assert 500 < len(part) <= 700
    assert sent_part("", "") == ""


@pytest.mark.parametrize(("text", "word"), [("It cools.", "It"), ("These ponds cool.", "These")])
def test_a_sentence_that_points_back_is_known(text: str, word: str) -> None:
    assert dangling(text) == word
    assert dangling("This study found ponds.") is None
    assert dangling("Items cool.") is None
