"""Super- and subscripts among the words of a line."""

from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import lines_of
from citeloom.infrastructure.ingest.conversion.pdf.page_record import Word
from citeloom.infrastructure.ingest.conversion.pdf.words.characters import ASCENT, DESCENT
from citeloom.infrastructure.ingest.conversion.pdf.words.word_runs import runs_of

EM = 10.0
BASE = 100.0


def text_of(*pieces: tuple[str, float, float], gap: float = 0.3) -> str:
    """The line of ``(text, em, rise)``: a space before a text is one in the content. The place of
    ``|`` is that of the piece before it, so that two stand over each other."""
    words: list[Word] = []
    x = at = 50.0
    for text, em, rise in pieces:
        spaced = text.startswith(" ")
        stacked = text.startswith("|")
        plain = text.strip(" |")
        x = at if stacked else x + (3.0 if spaced else gap)
        at = x
        end = x + 0.5 * em * len(plain)
        base = BASE - rise
        words.append(
            Word(
                plain, x, base - ASCENT * em, end, base + DESCENT * em, "Roman", False, False,
                order=len(words), spaced=spaced or not words,
            )
        )  # fmt: skip
        x = end
    (line,) = lines_of(runs_of(words, EM * (ASCENT + DESCENT)), 1)
    return line.text


def main(text: str) -> tuple[str, float, float]:
    return text, EM, 0.0


def up(text: str, em: float = 7.0, rise: float = 3.6) -> tuple[str, float, float]:
    return text, em, rise


def down(text: str, em: float = 7.0, rise: float = -1.5) -> tuple[str, float, float]:
    return text, em, rise


@each(
    ("pieces", "text"),
    [
        ([main("see"), main(" 10"), up("6"), main(" cells")], "see 10⁶ cells"),
        ([main("at"), main(" 10"), up("−"), up("3"), main(" mol")], "at 10⁻³ mol"),
        ([main("the"), main(" survey."), up("12"), main(" Younger")], "the survey.¹² Younger"),
        ([main("green"), main(" in"), main(" 1998"), up("3"), main(" too")], "green in 1998 ³ too"),
        ([main("of"), main(" CO"), down("2"), main(" there")], "of CO₂ there"),
        ([main("all"), main(" x"), down("i"), main(" are")], "all x_i are"),
        ([main("all"), main(" x"), down("i"), main("k"), main(" are")], "all x_(i)k are"),
        ([main("sets"), main(" x"), up("n"), up("+"), up("1"), main(".")], "sets x^(n+1)."),
        ([main("the"), main(" x"), down("i"), up("|2"), main(" here")], "the x_i² here"),
        ([main("all"), main(" x"), up("n+1"), down("|ijk"), main(" in")], "all x^(n+1)_ijk in"),
        ([main("the"), main(" ‖x‖"), down("∞"), main(" norm")], "the ‖x‖_∞ norm"),
        ([main("cost"), main(" 2"), up("m"), ("d", 5.0, 2.6), main(" is")], "cost 2^(m_d) is"),
        ([main("about"), up(" 1"), down("|2", rise=-3.4), main(" of it")], "about 1/2 of it"),
        ([main("if"), down(" 4", rise=-3.4), up("|1"), main(" of it")], "if 1/4 of it"),
        ([main("norm"), main(" ‖x‖"), down("2"), up("|2"), main(" of")], "norm ‖x‖₂² of"),
        ([main("the"), main(" 19"), up("th"), main(" day")], "the 19th day"),
    ],
)
def test_scripts_are_written(pieces: list[tuple[str, float, float]], text: str) -> None:
    assert text_of(*pieces) == text


def test_small_capitals_and_small_print_on_the_line_are_no_scripts() -> None:
    assert text_of(main("the"), main(" N"), ("ASA", 7.0, 0.0), main(" report")) == "the NASA report"


@given(
    st.integers(1, 999), st.floats(5.0, 8.2), st.floats(2.4, 5.0), st.sampled_from([10, 2, 2015])
)
def test_a_raised_number_never_lengthens_the_number_before_it(
    exponent: int, em: float, rise: float, base: int
) -> None:
    found = text_of(main("of"), main(f" {base}"), up(str(exponent), em, rise), main(" units"))
    assert found.split()[1].rstrip("⁰¹²³⁴⁵⁶⁷⁸⁹") == str(base)
    assert not found.split()[1][len(str(base)) :].isdecimal()
