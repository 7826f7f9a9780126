"""What columns ask for, and the spans that answer."""

import pytest

from citeloom.domain.review.evidence.cell_answers import (
    CellChoice,
    SpanAnswer,
    answers_in,
    chosen,
    is_aside,
)
from citeloom.domain.review.evidence.column_questions import Asks, column_question


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("How many participants took part?", Asks.COUNT),
        ("What was the sample size?", Asks.COUNT),
        ("How long was the workshop?", Asks.DURATION),
        ("How many weeks did it last?", Asks.DURATION),
        ("How much memory did each machine have?", Asks.AMOUNT),
        ("What percentage of users agreed?", Asks.AMOUNT),
        ("When was it first taught?", Asks.DATE),
        ("At which university was it taught?", Asks.PLACE),
        ("Which programming language is used?", Asks.LANGUAGE),
        ("Under which licence is it available?", Asks.LICENCE),
        ("Where is the source code hosted?", Asks.HOST),
        ("Where was the workshop hosted?", Asks.PLACE),
        ("Where were the data collected?", Asks.PLACE),
        ("Where are the data available?", Asks.HOST),
        ("Which dataset was used?", Asks.NAME),
        ("Who is the target audience?", Asks.AUDIENCE),
        ("Who funded the work?", Asks.FUNDER),
        ("What is it compared with?", Asks.COMPARED),
        ("What feedback did students give?", Asks.FEEDBACK),
        ("Why is a single master used?", Asks.STATEMENT),
    ],
)
def test_what_a_question_asks_for(question: str, asks: Asks) -> None:
    assert column_question(question).asks is asks


@pytest.mark.parametrize(
    ("question", "sentence", "answer"),
    [
        ("How many participants?", "Over 500 people attended the event.", "Over 500 people"),
        ("How many participants?", "The 27 students came twice.", "27 students"),
        ("How many students?", "A cohort of 80 to 120 students came.", "80 to 120 students"),
        ("How many machines?", "We ran it on a 16-node cluster.", "16-node"),
        ("How much memory?", "It has two 40 GB disks and 15 GiB of main memory.", "15 GiB"),
        ("Which processors?", "Nodes have two Intel® Xeon® X5570 CPUs.",
         "two Intel® Xeon® X5570 CPUs"),
        ("How many machines?", "It ran on a cluster of 1,800 machines.", "1,800 machines"),
        ("How long was the workshop?", "We held a two-day workshop in May.", "two-day"),
        ("How long was the course?", "The course lasted for 14 weeks.", "14 weeks"),
        ("How long is the course?", "This short (approximately 3-hour) course is free.",
         "approximately 3-hour"),
        ("How much memory?", "Each node had 4 GB of memory and two disks.", "4 GB"),
        ("Where is the code?", "The code is hosted on GitHub and Zenodo.", "GitHub and Zenodo"),
        ("When was it held?", "It was held in May 2019 (Lee et al., 2015).", "May 2019"),
        ("Where was it held?", "It was held at the University of Graz.", "University of Graz"),
        ("Which programming language?", "It is written in Python and R.", "Python and R"),
        ("What is the licence?", "Code is released under the MIT License.", "MIT License"),
        ("Which dataset was used?", "We trained on the MNIST dataset.", "MNIST"),
        ("Who funded it?", "This was funded by the Weir Foundation.", "Weir Foundation"),
        (
            "Who is the target audience?",
            "The target audience includes students, teachers and librarians who code.",
            "students, teachers and librarians",
        ),
        ("What is it compared with?", "We compare it with Cassandra and Dynamo.",
         "Cassandra and Dynamo"),
    ],
)  # fmt: skip
def test_the_shortest_span_answers(question: str, sentence: str, answer: str) -> None:
    best = max(answers_in(column_question(question), sentence), key=lambda one: one.fit)
    assert sentence[best.start : best.end] == answer
    assert best.fit >= 0.7


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("How many participants?", "2.1 Participants"),
        ("How many participants?", "In Lab 2 students learn to read maps."),
        ("How many participants?", "Of the participants 40 % agreed."),
        ("How long was the course?", "The course had 2 hours each week."),
        ("How long was the course?", "It was founded 12 years ago."),
        ("When was it held?", "Others did so before (Lee et al., 2015)."),
        ("What percentage agreed?", "It took 12 hours."),
    ],
)
def test_other_numbers_are_no_answer(question: str, sentence: str) -> None:
    assert answers_in(column_question(question), sentence) == []


def test_of_two_words_one_is_enough() -> None:
    asked = column_question("How long is the course or workshop?")
    assert [" ".join(one.split()) for one in asked.alternatives] == [
        "is the course?",
        "is the workshop?",
    ]


def test_a_near_rival_makes_an_answer_one_to_check() -> None:
    best, other = SpanAnswer(0, 2, 0.95, "12"), SpanAnswer(0, 2, 0.95, "14")
    assert chosen(Asks.COUNT, [(best, 0.9)]) is CellChoice.SURE
    assert chosen(Asks.COUNT, [(best, 0.9), (best, 0.9)]) is CellChoice.SURE
    assert chosen(Asks.COUNT, [(best, 0.9), (other, 0.85)]) is CellChoice.CHECK
    assert chosen(Asks.STATEMENT, [(best, 0.9)]) is CellChoice.CHECK
    assert chosen(Asks.COUNT, [(best, 0.5)]) is CellChoice.NOT_STATED
    assert chosen(Asks.COUNT, []) is CellChoice.NOT_STATED


def test_licences_of_the_paper_and_thanks_are_asides() -> None:
    assert is_aside("License Authors of papers retain copyright under CC BY 4.0.", Asks.LICENCE)
    assert not is_aside("The materials are licensed under CC BY 4.0.", Asks.LICENCE)
    thanks = "We thank eleven volunteers and acknowledge funding from Weir."
    assert is_aside(thanks, Asks.COUNT)
    assert not is_aside(thanks, Asks.FUNDER)
