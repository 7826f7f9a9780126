"""What documents say of themselves is told from what they say of the world."""

from support.cases import each

from citeloom.domain.review.evidence.quotable_sentences import asks_for_aims, describes_itself


@each(
    "sentence",
    [
        "Section 3 describes the ponds and the sensors.",
        "In the next section we turn to the method.",
        "Section 2 begins by defining the three features that make a pond cool.",
        "Since most ponds are not square, Section 3 describes the shapes that occur.",
        "Next, I give examples of square and round ponds.",
        "Table 1 contains the main result of the season.",
        "The last column of Table 1 tells the story more simply.",
        "The remainder of this paper is organised as follows.",
        "This paper presents a module on geographic data science.",
        "This note reports one summer of measurements beside ponds.",
        "We asked whether it matters when the second reading takes place.",
        "The key benefits of small ponds are summarized below.",
        "The stations were placed as follows.",
        "The aim of this study was to measure the cooling of ponds.",
        "Our main contributions are a protocol and a data set.",
        "Three questions guided the study of the readers.",
        "OBJECTIVE To assess the efficacy of spaced reading.",
    ],
)
def test_roadmaps_aims_and_contributions(sentence: str):
    assert describes_itself(sentence)


@each(
    "sentence",
    [
        "Figure 2 shows that the cooling falls with distance.",
        "Table 2 clearly shows that the cooling falls.",
        "Finally, we show that the cooling falls with distance.",
        "This study shows that ponds cool the street at night.",
        "This paper finds no effect of the wind on the cooling.",
        "We found that the cooling falls with distance.",
        "In 2020, 94% would recommend it to a friend, and in 2021 we asked “How was it?” again.",
        "Dry banks halve the cooling beside the ponds.",
        "Where the air is still, ponds cool the street below and the court.",
        "The sensors of the stations work at 20 °C and below.",
        "The error of the square grid stayed well below.",
        "The sleepers woke where the air had 16 °C or below.",
    ],
)
def test_findings(sentence: str):
    assert not describes_itself(sentence)


def test_aims_are_told_where_they_are_asked_for():
    assert asks_for_aims("What is the goal of the courses?")
    assert not asks_for_aims("Do the courses help?")
