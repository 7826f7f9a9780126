"""What columns ask for, and the spans that answer."""

import pytest

from citeloom.domain.review.evidence.cell_answers import (
    CellChoice,
    SpanAnswer,
    answers_in,
    chosen,
    expected_odds,
    score_of,
)
from citeloom.domain.review.evidence.column_questions import (
    Asks,
    column_question,
)
from citeloom.domain.review.evidence.statement_kinds import is_aside


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
        ("Where can the program code be had?", Asks.HOST),
        ("Where was the workshop hosted?", Asks.PLACE),
        ("Where were the data collected?", Asks.PLACE),
        ("Where are the data available?", Asks.HOST),
        ("Which dataset was used?", Asks.NAME),
        ("Who is the target audience?", Asks.AUDIENCE),
        ("Who funded the work?", Asks.FUNDER),
        ("What is it compared with?", Asks.COMPARED),
        ("What feedback did students give?", Asks.STATEMENT),
        ("How many CPU cores did it have?", Asks.COUNT),
        ("How large was the sample?", Asks.COUNT),
        ("What is the tool used for?", Asks.STATEMENT),
        ("What tool was used for the analysis?", Asks.NAME),
        ("How many students enrolled during the study period?", Asks.COUNT),
        ("What was the duration of the course?", Asks.DURATION),
        ("What hardware was used?", Asks.PROCESSOR),
        ("Why is a single master used?", Asks.STATEMENT),
        ("Which shortcoming of other tools is remedied?", Asks.STATEMENT),
        ("What main problem does it solve?", Asks.STATEMENT),
        ("Which improvements were suggested?", Asks.STATEMENT),
        ("Who took part in the survey?", Asks.STATEMENT),
        ("Who paid for the work?", Asks.FUNDER),
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
        ("How many teachers were asked?", "We asked 18 seventh and eighth grade school teachers.",
         "18 seventh and eighth grade school teachers"),
        ("How many machines?", "They run on a few thousand machines.", "a few thousand machines"),
        ("How many lectures, sessions or modules?", "It is divided into 8 sessions.", "8 sessions"),
        ("How many games per second?", "It plays about 170 random games per second.",
         "about 170 random games per second"),
        ("How much data is stored?", "It stores tens of petabytes now.", "tens of petabytes"),
        ("What sampling frequency was used?", "From 131Hz on, a frequency of 11025Hz was used.",
         "11025Hz"),
        ("What is the sampling frequency?", "A frequency of 44.1 kHz was set.", "44.1 kHz"),
        ("By what factor did it grow?", "It grew by a factor of more than 3.8x then.",
         "more than 3.8x"),
        ("Since when is it used?", "It has been used for over two years.", "over two years"),
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
        ("Which data sets were used?", "PubMed (Lee, 2018) is a large dataset here.", "PubMed"),
        ("Which platforms are supported?", "It runs on all platforms: Ubuntu, macOS and Windows.",
         "Ubuntu, macOS and Windows"),
        ("Which products use it?", "Many products use it, such as Gmail, Picasa and Calendar.",
         "Gmail, Picasa and Calendar"),
        ("Where is the code?", "The code is at https://example.org/code.", "https://example.org/code"),
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


def test_a_near_rival_makes_an_answer_one_to_check() -> None:
    best, other = SpanAnswer(0, 2, 0.95, "12"), SpanAnswer(0, 2, 0.95, "14")
    assert chosen(Asks.COUNT, [(best, 3.5)]) is CellChoice.SURE
    assert chosen(Asks.COUNT, [(best, 3.5), (best, 3.5)]) is CellChoice.SURE
    assert chosen(Asks.COUNT, [(best, 3.5), (other, 2.5)]) is CellChoice.CHECK
    assert chosen(Asks.COUNT, [(best, 2.5)]) is CellChoice.CHECK
    assert chosen(Asks.STATEMENT, [(best, 3.5)]) is CellChoice.CHECK
    assert chosen(Asks.COUNT, [(best, 1.0)]) is CellChoice.NOT_STATED
    assert chosen(Asks.COUNT, []) is CellChoice.NOT_STATED


def test_a_fitting_answer_and_a_sentence_that_answers_weigh_more() -> None:
    one, other = SpanAnswer(0, 2, 0.9, "12"), SpanAnswer(0, 2, 0.5, "12")
    assert score_of(one, 0.0) > score_of(other, 0.0) > score_of(other, -1.0)
    assert expected_odds(0.0) < expected_odds(0.4) < expected_odds(0.6) == expected_odds(0.9)


@pytest.mark.parametrize(
    ("question", "cued", "other"),
    [
        ("What must students know beforehand?", "Students should have seen some code before.",
         "Students learn to write code in the last week."),
        ("What is the main limitation?", "The tool cannot read any files of other programs.",
         "The tool reads the files of many other programs."),
        ("What feedback did students give?", "The students enjoyed the exercises and the data.",
         "The students received the exercises and the data."),
        ("What is planned next?", "We plan to read the maps of all the other lakes.",
         "Next, we will look at a proof of the second lemma."),
        ("How was the course evaluated?", "We surveyed all of the students after the last week.",
         "The course begins with a look at the maps of lakes."),
        ("Who took part in the survey?", "In all, 34 nurses and 12 students filled in the form.",
         "The form asked about the maps and about the lakes."),
        ("Which shortcoming of other tools is remedied?", "Other tools lack a way to read maps.",
         "Other tools read old maps and print new ones too soon."),
        ("Which problem does it solve?", "The main problem is that the maps are hard to read.",
         "The new format solves this problem and is hard to lose."),
        ("What is the main limitation?", "A limitation is that it reads none of the old maps.",
         "It has several limitations, of which the first is small."),
        ("What is it compared with?", "Maps of this kind are compared to slides by the pupils.",
         "Maps of this kind are handed to the pupils on slides."),
    ],
)  # fmt: skip
def test_a_clause_on_the_theme_fits_better(question: str, cued: str, other: str) -> None:
    asked = column_question(question)
    (best,), (worse,) = answers_in(asked, cued), answers_in(asked, other)
    assert best.fit > worse.fit


def test_names_are_those_of_a_list_and_of_sentences_on_the_question() -> None:
    asked = column_question("Which formats are there?")
    sentence = "Ada formats include Ada-Map, Ada-Text and Ada-Sound."
    best = max(answers_in(asked, sentence), key=lambda one: one.fit)
    assert sentence[best.start : best.end] == "Ada-Map, Ada-Text and Ada-Sound"
    used = column_question("Which instrument was chosen?")
    names = [
        answers_in(used, f"We {verb} all lakes with Ada for years.") for verb in ("chose", "saw")
    ]
    assert names[0][0].end < names[1][0].end


def test_a_clause_is_cut_neither_in_brackets_nor_at_but_also() -> None:
    start = (
        "Not only does the index of the maps of all the lakes help the readers of maps (Ada Maps)"
    )
    sentence = (
        f"{start} who live by the lakes, but also does it help those who read no maps at all."
    )
    (one,) = answers_in(column_question("Why is there an index?"), sentence)
    assert (one.start, one.end) == (0, len(sentence) - 1)


def test_the_clause_stands_in_for_a_name_that_does_not_fit() -> None:
    sentence = "We asked Ada and Grace to sort all of the letters again by hand."
    (one,) = answers_in(column_question("Which instruments were chosen?"), sentence)
    assert (one.start, one.end) == (0, len(sentence) - 1)
    assert answers_in(column_question("How many instruments were chosen?"), sentence) == []
    assert answers_in(column_question("How many exercises are there?"), "It has 8 lectures.") == []
    assert answers_in(column_question("How many items has it?"), "The form has 12 pages.") == []


def test_a_year_that_is_asked_for_is_not_a_duration() -> None:
    sentence = "The lakes were measured for two years, last in 2014."
    (year,) = answers_in(column_question("For which year were data collected?"), sentence)
    assert sentence[year.start : year.end] == "2014"


def test_licences_of_the_paper_and_thanks_are_asides() -> None:
    assert is_aside("License Authors of papers retain copyright under CC BY 4.0.", Asks.LICENCE)
    assert not is_aside("The materials are licensed under CC BY 4.0.", Asks.LICENCE)
    thanks = "We thank eleven volunteers and acknowledge funding from Weir."
    assert is_aside(thanks, Asks.COUNT)
    assert not is_aside(thanks, Asks.FUNDER)
