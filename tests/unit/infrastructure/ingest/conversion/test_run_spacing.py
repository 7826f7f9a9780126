"""White space between runs is that of the source."""

from docling_core.types.doc.document import Script
from support.cases import each

from citeloom.infrastructure.ingest.conversion.formats.docling_flow import Run, Spacing


@each(
    ("source", "runs", "joined"),
    [
        ("into 10<sup>6 cells".replace("<sup>", ""), ["into 10", "6", "cells"], "into 106 cells"),
        ("the  Lys1,2\n(Fig 1)", ["the", "Lys1,2", "(Fig 1)"], "the Lys1,2 (Fig 1)"),
        ("unbelievable", ["un", "believ", "able"], "unbelievable"),
        ("a b", ["a ", " b"], "a  b"),
    ],
)
def test_runs_are_joined_as_in_the_source(source: str, runs: list[str], joined: str) -> None:
    assert Spacing(source).join(list(map(Run, runs))) == joined


def test_a_script_is_apart_from_the_number_before_it() -> None:
    runs = [Run("into 10"), Run("6", Script.SUPER), Run("cells of CO"), Run("2", Script.SUB)]
    assert Spacing("into 106 cells of CO2").join(runs) == "into 10⁶ cells of CO₂"


def test_a_repeated_paragraph_takes_the_next_place_in_the_source() -> None:
    spacing = Spacing("x 2 and x2")
    assert spacing.join(list(map(Run, ["x", "2"]))) == "x 2"
    assert spacing.join(list(map(Run, ["x", "2"]))) == "x2"


def test_spaces_between_runs_are_found_whatever_the_markup() -> None:
    assert (
        Spacing("a **bold** word and mid*dle*", "*").join(list(map(Run, ["a", "bold", "word"])))
        == "a bold word"
    )
    assert Spacing("mid*dle*", "*").join(list(map(Run, ["mid", "dle"]))) == "middle"


def test_what_is_not_in_the_source_follows_punctuation() -> None:
    spacing = Spacing("nothing of it")
    assert spacing.join(list(map(Run, ["see", r"\pi r^2", ", (", "b", ")"]))) == r"see \pi r^2, (b)"
    assert spacing.join(list(map(Run, []))) == ""
    assert spacing.join(list(map(Run, ["", "one", ""]))) == "one"
