"""Headings of documents without an outline: what makes a line one with certainty."""

from collections.abc import Sequence
from typing import NamedTuple

import pytest
from support.cases import each
from support.pdf.page_lines import PITCH, STYLE, flow, line, prose

from citeloom.infrastructure.ingest.conversion.pdf.headings.candidates import may_head
from citeloom.infrastructure.ingest.conversion.pdf.headings.headings import (
    find_headings,
    numbered_lines,
)
from citeloom.infrastructure.ingest.conversion.pdf.lines.line_flow import PlacedLine
from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import TextLine


class _Head(NamedTuple):
    """A line with a paragraph below it; ``above`` and ``below`` are baseline distances in
    pitches."""

    text: str
    size: float = 8.0
    bold: bool = False
    font: str = "Roman"
    above: float = 2.0
    below: float = 1.5


def _document(*heads: _Head) -> list[PlacedLine]:
    lines: list[TextLine] = []
    base = 100.0
    for n, head in enumerate(heads):
        base += head.above * PITCH if n else 0.0
        lines.append(line(head.text, base=base, size=head.size, bold=head.bold, font=head.font))
        lines += prose(4, base=base + head.below * PITCH)
        base = lines[-1].base
    return flow(lines)


def _found(placed: Sequence[PlacedLine]) -> list[tuple[str, int]]:
    marks = find_headings(placed, STYLE)
    return [
        (" ".join(placed[i].line.text for i in range(m.first, m.last + 1)), m.level) for m in marks
    ]


def _bold(text: str) -> _Head:
    return _Head(text, size=10, bold=True)


def test_a_gap_in_the_sequence_is_closed_by_a_line_that_does_not_stand_out() -> None:
    placed = _document(
        _bold("1. Introduction"),
        _bold("2. Computer Arithmetic"),
        _Head("2.1. Rules of Consequence", above=1.3, below=1.0),
        _Head("2.2. Rule of Composition", above=1.3, below=1.0),
        _Head("3. Program Execution", above=1.3, below=1.0),
        _bold("4. General Reservations"),
    )
    assert _found(placed) == [
        ("1. Introduction", 1),
        ("2. Computer Arithmetic", 1),
        ("2.1. Rules of Consequence", 2),
        ("2.2. Rule of Composition", 2),
        ("3. Program Execution", 1),
        ("4. General Reservations", 1),
    ]


def test_items_of_a_list_do_not_interrupt_the_sequence() -> None:
    items = ("1. Its owner.", "2. Its protection bits.", "5. Time of last modification")
    placed = _document(
        _bold("1. Introduction"),
        _bold("4. Implementation"),
        *(_Head(item, above=1.4, below=1.0) for item in items),
        _bold("4.1 Efficiency"),
        _bold("5. Processes"),
    )
    assert _found(placed) == [
        ("1. Introduction", 1),
        ("4. Implementation", 1),
        ("4.1 Efficiency", 2),
        ("5. Processes", 1),
    ]


def test_items_after_the_last_section_do_not_go_on_with_its_numbers() -> None:
    placed = _document(
        *(_bold(f"{n}. Section {n}") for n in (1, 2, 3)),
        _Head("4. Clear the table.", above=1.4, below=1.0),
    )
    assert [text for text, _ in _found(placed)] == ["1. Section 1", "2. Section 2", "3. Section 3"]


@pytest.mark.parametrize("misread", ["I. Introduction", "l. Introduction"])
def test_a_one_that_ocr_has_misread_begins_the_sequence(misread: str) -> None:
    placed = _document(_bold(misread), _bold("2. Protocols"), _bold("3. Result"))
    assert _found(placed) == [(misread, 1), ("2. Protocols", 1), ("3. Result", 1)]


def test_parts_in_roman_numbers_above_the_sections_are_of_level_one() -> None:
    placed = _document(
        _bold("I. KINEMATICAL PART"),
        _bold("\u00a7 1. Simultaneity"),
        _bold("\u00a7 2. Lengths"),
        _bold("II. ELECTRODYNAMICAL PART"),
        _bold("\u00a7 3. Transformation"),
        _bold("\u00a7 4. Doppler's principle"),
    )
    assert [level for _, level in _found(placed)] == [1] * 6


def test_a_numbered_line_in_another_font_stands_out() -> None:
    texts = ("1. Introduction", "2. Keys", "2.1 Search for a key", "2.2 Insertion", "3. End")
    placed = _document(*(_Head(text, font="Sans", above=1.7) for text in texts))
    assert [level for _, level in _found(placed)] == [1, 1, 2, 2, 1]


def test_unnumbered_lines_set_like_numbered_headings_are_headings_of_their_level() -> None:
    placed = _document(
        _bold("1 Introduction"),
        _bold("2 Approach"),
        *(_Head(text, bold=True) for text in ("2.1 State", "2.2 Control", "Identity and State")),
        _bold("3 Results"),
    )
    assert _found(placed)[-2:] == [("Identity and State", 2), ("3 Results", 1)]


def test_larger_type_in_a_font_without_headings_is_none_in_a_numbered_document() -> None:
    placed = _document(
        _bold("1 Introduction"),
        _bold("2 Approach"),
        _Head("Pending request set", size=10, font="Math"),
        _bold("3 Results"),
    )
    assert [text for text, _ in _found(placed)] == ["1 Introduction", "2 Approach", "3 Results"]


def test_a_font_of_headings_alone_makes_them_in_an_unnumbered_document() -> None:
    heads = ("End-to-end caretaking", "A too-real example", "Performance aspects")
    placed = _document(_bold("Introduction"), *(_Head(text, font="Sans") for text in heads))
    assert _found(placed) == [("Introduction", 1), *((text, 2) for text in heads)]


def test_a_font_of_other_lines_makes_no_headings() -> None:
    heads = ("End-to-end caretaking", "A too-real example", "Performance aspects")
    code = [line("a line of code", base=900 + PITCH * n, font="Sans", x1=340) for n in range(9)]
    placed = _document(_bold("Introduction"), *(_Head(text, font="Sans") for text in heads))
    both = flow([*(p.line for p in placed), *code])
    assert [text for text, _ in _found(both)] == ["Introduction"]


def test_names_beside_the_abstract_are_no_headings() -> None:
    left = [line("Abstract", base=200, size=10, bold=True), *prose(4, base=224)]
    left += [line("Method", base=300, size=10, bold=True), *prose(4, base=324)]
    right = [line("Heather Miller", base=120, x0=400, size=10, bold=True)]
    right += [line("Lausanne", base=132, x0=420), *prose(4, base=180, x0=400)]
    right += [line("Results", base=270, x0=400, size=10, bold=True), *prose(4, base=294, x0=400)]
    assert [text for text, _ in _found(flow(left, right))] == ["Abstract", "Method", "Results"]


def test_a_full_bold_line_whose_sentence_goes_on_is_no_heading() -> None:
    placed = _document(_bold("Introduction"), _bold("Method"))
    lines = [p.line for p in placed]
    base = lines[-1].base + 2 * PITCH
    begun = line("Conditional edges and phases can be", base=base, x1=350, size=10, bold=True)
    rest = line("used to compute in phases", base=base + PITCH, x1=350)
    assert len(_found(flow([*lines, begun, rest]))) == 2


def test_labels_of_the_front_matter_are_no_sections() -> None:
    placed = _document(*map(_bold, ("Abstract", "General Terms", "Introduction", "Conclusion")))
    assert [text for text, _ in _found(placed)] == ["Abstract", "Introduction", "Conclusion"]


def test_centred_headings_are_above_those_at_the_left_in_the_same_type() -> None:
    lines: list[TextLine] = []
    heads = (("Introduction", 1), ("Barriers", 0), ("Outline", 0), ("Related Work", 1))
    for n, (text, centred) in enumerate(heads):
        width = 45.0
        x0 = 200.0 - width / 2 if centred else 50.0
        base = 100.0 + 8 * PITCH * n
        lines.append(line(text, base=base, x0=x0, x1=x0 + width, bold=True))
        lines += prose(4, base=base + 1.5 * PITCH)
    assert [level for _, level in _found(flow(lines))] == [1, 2, 2, 1]


def test_the_head_of_a_column_of_a_table_is_no_heading() -> None:
    placed = _document(
        _bold("1 Introduction"),
        *(_Head(text, bold=True) for text in ("1.1 State", "1.2 Control")),
        _bold("2 Results"),
        _bold("3 Conclusion"),
    )
    lines = [p.line for p in placed]
    base = lines[-1].base + 2 * PITCH
    cells = [line(f"Section {n}", base=base + n * PITCH, x1=110) for n in range(1, 5)]
    column = [line("Info needed", base=base, bold=True), *cells]
    assert len(_found(flow([*lines, *column]))) == 5


def test_parts_go_on_through_the_sections_also_below_the_first() -> None:
    texts = ("1 INTRODUCTION", "PART I SYSTEMS", "2 SYSTEMS", "3 EXAMPLES", "PART II THEORY")
    placed = _document(*map(_bold, (*texts, "4 EQUIVOCATION")))
    assert [level for _, level in _found(placed)] == [1] * 6


def test_the_title_printed_again_is_no_heading_above_the_first_section() -> None:
    placed = _document(*map(_bold, ("On Nonsense", "Introduction", "On nonsense", "End")))
    marks = find_headings(placed, STYLE, title="On nonsense\u2217")
    assert [placed[m.first].line.text for m in marks] == [
        "Introduction",
        "On nonsense",
        "End",
    ]


@each(
    ("text", "may"),
    [
        ("H1 1 Aijsisj#15", False),
        ("O~x~ L, O ~ y ~ L, O ~ z ~ a", False),
        ("Pr[\u00afG]", False),
        ("7\u201d4aeou", False),
        ("2PL versus OCC", True),
        ("C++ and its users", True),
        ("\u201cGet that look off your face\u201d", True),
        ("1: F(n) - f F(n) d n", False),
        ("A A v_i", False),
        ("2.1 R", True),
        ("3.2 Readings. Intuitively, an observed operation may", False),
        ("3.2 Readings. Of the Data", True),
        ("9.1 Proof of Lemma 6", True),
        ("Proof of Lemma 6", False),
        ("3.3.2 2P-Set", True),
    ],
)
def test_a_heading_has_words(text: str, may: bool) -> None:
    assert may_head(text) is may


@each(("count", "found"), [(3, 3), (2, 0)])
def test_bold_lines_that_come_again_divide_numbered_sections(count: int, found: int) -> None:
    names = ["Goals and Means", "Opinions to Be Justified", "Keys of Entities"][:count]
    lines: list[TextLine] = []
    base = 100.0
    for head in ("1 INTRODUCTION", "2 METHODS", "3 DATA", "4 RESULTS", *names):
        base += 2 * PITCH
        size = 8.0 if head in names else 10.0
        lines.append(line(head, base=base, size=size, bold=True, font="Bold"))
        lines += prose(3, base=base + 1.5 * PITCH)
        base += 3.5 * PITCH
    placed = flow(lines)
    marks = [(placed[m.first].line.text, m.level) for m in find_headings(placed, STYLE)]
    assert marks[4:] == [(name, 2) for name in names[:found]]


def test_capitals_far_apart_are_a_numbered_heading() -> None:
    text = "5. STABILITY DETECTION"
    pieces = [("5. STABILITY", 50.0, 110.0), ("DETECTION", 118.0, 168.0)]
    opening = ["1 INTRODUCTION", "2 METHODS", "3 DATA", "4 RESULTS"]
    lines: list[TextLine] = []
    base = 100.0
    for head in (*opening, text):
        base += 2 * PITCH
        lines.append(line(head, base=base, pieces=pieces if head == text else ()))
        lines += prose(3, base=base + 1.5 * PITCH)
        base += 3.5 * PITCH
    placed = flow(lines)
    assert [placed[mark.first].line.text for mark in find_headings(placed, STYLE)] == [
        *opening,
        text,
    ]


def test_a_chapter_may_have_its_number_at_the_edge() -> None:
    lines: list[TextLine] = []
    below = [f"{chapter}.{n} Laws" for chapter in (1, 2) for n in (1, 2, 3)]
    for n, text in enumerate(("Nondeterminism 1", *below[:3], "Communication 2", *below[3:])):
        base = 100.0 + 9 * PITCH * n
        chapter = not text[0].isdigit()
        title, number = text.rsplit(" ", 1)
        pieces = ((title, 50, 250), (number, 340, 350)) if chapter else ()
        size = 16 if chapter else 9
        lines.append(
            line(text, base=base, size=size, bold=True, x1=350 if chapter else None, pieces=pieces)
        )
        lines += prose(4, base=base + (3 if chapter else 1.5) * PITCH)
    assert [level for _, level in _found(flow(lines))] == [1, 2, 2, 2, 1, 2, 2, 2]


def test_a_heading_goes_on_below_the_end_of_a_column() -> None:
    first = [line("1 The transformation of the equations", base=100, size=10, bold=True)]
    second = [line("for empty space", base=113, size=10, bold=True), *prose(4, base=140)]
    assert _found(flow(first, second)) == [
        ("1 The transformation of the equations for empty space", 1)
    ]


def test_a_title_that_begins_with_the_article_has_no_number() -> None:
    placed = _document(*map(_bold, ("Introduction", "A comprehensive solution", "Conclusion")))
    assert [text for text, _ in _found(placed)][1:2] == ["A comprehensive solution"]


def test_numbered_headings_that_stand_out_are_no_rows_of_a_table() -> None:
    placed = _document(*map(_bold, ("1 Introduction", "2 Method")), _Head("3 Cells of a list"))
    assert numbered_lines(placed, STYLE) == frozenset({0, 5})


def test_numbered_items_of_a_template_do_not_take_the_place_of_larger_sections() -> None:
    items = [f"{section}. Item {section}" for section in range(2, 6)]
    subs = [f"{n}.{k}. Part {n} {k}" for n in range(2, 6) for k in range(1, 5)]
    template = [_Head(text, bold=True) for text in sorted([*items, *subs])]
    placed = _document(
        _bold("1. The Method"),
        _bold("1.1. Its Origin"),
        _bold("2. The Template"),
        *template,
        _bold("3. The Evaluation"),
        _bold("4. Final Comments"),
    )
    assert [title for title, level in _found(placed) if level == 1] == [
        "1. The Method",
        "2. The Template",
        "3. The Evaluation",
        "4. Final Comments",
    ]


def test_appendices_with_numbers_of_their_own_are_sections_after_the_references() -> None:
    placed = _document(
        _bold("1. Introduction"),
        _bold("2. Method"),
        _bold("3. Results"),
        _bold("References"),
        _bold("Appendix 1 \u2013 Form of the Reader"),
        _Head("I \u2013 Languages Spoken", bold=True),
        _Head("II \u2013 Papers Read", bold=True),
        _bold("Appendix 2 \u2013 Questionnaire"),
    )
    assert _found(placed)[3:] == [
        ("References", 1),
        ("Appendix 1 \u2013 Form of the Reader", 1),
        ("I \u2013 Languages Spoken", 2),
        ("II \u2013 Papers Read", 2),
        ("Appendix 2 \u2013 Questionnaire", 1),
    ]


@pytest.mark.parametrize(("bold", "found"), [(True, True), (False, False)])
def test_a_justified_heading_in_bold_may_have_its_words_far_apart(bold: bool, found: bool) -> None:
    text = "2 Client-driven or Server-driven"
    pieces = [("2", 50, 56), ("Client-driven", 80, 170), ("or", 205, 220)]
    pieces.append(("Server-driven", 255, 350))
    stretched = line(text, base=200.0, size=10.0, bold=bold, x1=350.0, pieces=pieces)
    lines = [line("1 Introduction", base=60.0, size=10.0, bold=bold), *prose(5, base=80.0)]
    lines += [stretched, line("Coordination", base=214.0, size=10.0, bold=bold)]
    lines += [*prose(4, base=230.0), line("3 Results", base=300.0, size=10.0, bold=bold)]
    titles = [title for title, _ in _found(flow([*lines, *prose(4, base=320.0)]))]
    assert (f"{text} Coordination" in titles) is found
