"""Heads at the beginning of a paragraph: which are heads, where they end, how deep they are."""

from collections.abc import Sequence

from support.pdf.page_lines import PITCH, STYLE, flow, line, prose, words

from citeloom.infrastructure.ingest.conversion.pdf.headings.headings import find_headings
from citeloom.infrastructure.ingest.conversion.pdf.headings.outlines import OutlineMatch
from citeloom.infrastructure.ingest.conversion.pdf.lines.line_flow import PlacedLine
from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import (
    TextLine,
    lines_of,
    split_lead_in,
)
from citeloom.infrastructure.ingest.conversion.pdf.words.characters import font_style
from citeloom.infrastructure.ingest.conversion.pdf.words.word_runs import runs_of


def _begun(head: str, base: float, italic: bool = False) -> TextLine:
    """A line of text that begins with ``head`` in bold or italics."""
    first = words(head, base=base, font="Other", bold=not italic)
    marked = [word._replace(italic=italic) for word in first]
    rest = words("The text goes on in the usual face here", x=first[-1].x1 + 3.0, base=base)
    (found,) = lines_of(runs_of([*marked, *rest], 8.0), 1)
    return found


def _bold(text: str) -> TextLine:
    (found,) = lines_of(runs_of(words(text, bold=True), 8.0), 1)
    return found


def _document(heads: Sequence[str], italic: bool = False) -> list[PlacedLine]:
    lines = [line("1 Introduction", base=80.0, size=10, bold=True), *prose(4, base=104.0)]
    base = 104.0 + 6 * PITCH
    for head in heads:
        lines += [_begun(head, base, italic), *prose(3, base=base + PITCH)]
        base += 6 * PITCH
    return flow(lines)


def _found(
    placed: Sequence[PlacedLine], outline: Sequence[OutlineMatch] = ()
) -> list[tuple[str, int]]:
    return [
        (placed[m.last].line.text[: m.run_in], m.level)
        for m in find_headings(placed, STYLE, outline)
        if m.run_in
    ]


def _below_outline(placed: Sequence[PlacedLine]) -> list[tuple[str, int]]:
    """Run-in heads of a document whose first line is the one entry of its outline."""
    return _found(placed, [OutlineMatch(0, 0, 1)])


def test_a_numbered_bold_head_needs_no_wide_space_and_is_as_deep_as_its_number() -> None:
    placed = _document(["1.1. Data and sources.", "1.1.1. Cleaning."])
    assert _found(placed) == [("1.1. Data and sources.", 2), ("1.1.1. Cleaning.", 3)]


def test_a_numbered_head_in_larger_type_ends_where_the_type_does() -> None:
    base = 104.0 + 6 * PITCH
    above = words("2. How fast is it possible to find out the", base=base, size=12, bold=True)
    head = words("desired element?", base=base + 17, size=12, bold=True)
    rest = words("There is a matching", x=head[-1].x1 + 3.0, base=base + 17)
    deep = words("2.1 Quantum Mechanical Algorithms", base=base + 80, size=10, bold=True)
    after = words("A", x=deep[-1].x1 + 3.0, base=base + 80)
    (*_, last) = found = lines_of(runs_of([*above, *head, *rest, *deep, *after], 8.0), 1)
    opening = [line("1 Introduction", base=80.0, size=12, bold=True), *prose(4, base=104.0)]
    between = prose(3, base=base + 17 + PITCH)
    placed = flow([*opening, *found[:2], *between, last, *prose(3, base=base + 80 + PITCH)])
    marks = [mark for mark in find_headings(placed, STYLE) if mark.run_in]
    assert [(m.last - m.first, m.level) for m in marks] == [(1, 1), (0, 2)]
    begun = [split_lead_in(placed[mark.last].line) for mark in marks]
    assert [(one.text, one.size) for one, _ in begun] == [
        ("desired element?", 12.0),
        ("2.1 Quantum Mechanical Algorithms", 10.0),
    ]
    assert [(one.text, one.size) for _, one in begun if one] == [
        ("There is a matching", 8.0),
        ("A", 8.0),
    ]


def test_italic_heads_that_come_again_are_below_the_deepest_heading() -> None:
    placed = _document(["Data and sources.", "Cleaning."], italic=True)
    assert _below_outline(placed) == [("Data and sources.", 2), ("Cleaning.", 2)]
    assert _found(placed) == []  # where the sections are inferred, it is no certain heading


def test_the_stop_after_the_name_of_a_section_may_be_in_the_face_of_the_text() -> None:
    name = words("Acknowledgments", x=62.0, base=104.0 + 5.5 * PITCH, font="Other")
    end = name[-1].x1
    rest = words(". We are grateful for all advice", x=end - 0.07, base=104.0 + 5.5 * PITCH)
    marked = [word._replace(italic=True) for word in name]
    (thanks,) = lines_of(runs_of([*marked, *rest], 8.0), 1)
    lines = [line("1 Introduction", base=80.0, size=10, bold=True), *prose(4, base=104.0)]
    placed = flow([*lines, thanks, *prose(3, base=104.0 + 6.5 * PITCH)])
    (head,) = [mark for mark in find_headings(placed, STYLE) if mark.run_in]
    assert placed[head.last].line.text[: head.run_in].replace(" ", "") == "Acknowledgments."


def test_lettered_italic_heads_are_heads() -> None:
    placed = _document(["a. Data and sources.", "b. Cleaning."], italic=True)
    assert [level for _, level in _found(placed)] == [2, 2]


def test_italics_once_are_an_emphasis_and_no_head() -> None:
    assert _below_outline(_document(["Data and sources."], italic=True)) == []


def test_an_italic_lemma_is_no_head() -> None:
    assert _below_outline(_document(["Remark 1.", "Remark 2."], italic=True)) == []


def test_an_item_beside_its_number_is_no_head() -> None:
    lines = [line("1 Introduction", base=80.0, size=10, bold=True), *prose(4, base=104.0)]
    for n, name in enumerate(("Left", "Right"), start=1):
        base = 104.0 + 6 * PITCH * n
        lines += [
            _begun(f"{n}. {name} rule:", base, italic=True),
            *prose(2, base=base + PITCH, x0=65.0),
        ]
    assert _found(flow(lines)) == []


def test_a_numbered_head_may_end_in_its_second_line() -> None:
    start = line("1.1. Data and sources of all that was", base=176.0, x1=350.0, bold=True)
    placed = flow(
        [
            line("1 Introduction", base=80.0, size=10, bold=True),
            *prose(4, base=104.0),
            start,
            _begun("measured.", 176.0 + PITCH),
            *prose(3, base=176.0 + 2 * PITCH),
        ]
    )
    mark = next(m for m in find_headings(placed, STYLE) if m.run_in)
    assert (mark.first, mark.last, mark.level) == (5, 6, 2)
    assert placed[6].line.text[: mark.run_in] == "measured."


def test_fonts_of_tex_say_what_they_are() -> None:
    assert font_style("ABCDEF+SFSX1095") == ("SFSX1095", True, False)
    assert font_style("LinBiolinumTI") == ("LinBiolinumTI", False, True)
    assert font_style("LinLibertineTB")[1:] == (True, False)
    assert font_style("LinLibertineT")[1:] == (False, False)


def test_the_name_of_a_section_and_a_dash_begin_a_bold_abstract() -> None:
    found = _bold("Abstract\u2014What follows is all in bold")
    assert found.bold
    assert found.lead_in is not None
    head, rest = split_lead_in(found)
    assert head.text == "Abstract"
    assert rest is not None
    assert rest.text == "What follows is all in bold"


def test_a_number_of_another_face_belongs_to_its_head() -> None:
    number = words("1.1.")
    head = words("Data.", x=number[-1].x1 + 3.0, bold=True, font="Bold")
    rest = words("The text goes on here", x=head[-1].x1 + 3.0)
    (found,) = lines_of(runs_of([*number, *head, *rest], 8.0), 1)
    assert found.lead_in is not None
    assert found.text[: found.lead_in.length] == "1.1. Data."


def test_a_level_that_is_left_out_is_not_counted() -> None:
    assert [level for _, level in _found(_document(["1.0.0.1. Data.", "1.0.0.2. Tests."]))] == [
        2,
        2,
    ]


def test_letters_that_begin_no_sequence_are_no_heads() -> None:
    assert _found(_document(["c. Data and sources.", "e. Cleaning."], italic=True)) == []


def test_small_capitals_do_not_look_raised() -> None:
    first = words("Abstract.", size=5.0, base=98.0, font="CMCSC10")
    rest = words("The text goes on here", x=first[-1].x1 + 3.0)
    (found,) = lines_of(runs_of([*first, *rest], 8.0), 1)
    assert not found.begins_raised


def test_a_few_bold_words_with_much_space_above_are_a_head() -> None:
    assert _below_outline(_document(["Data sources", "Cleaning rules"])) == [
        ("Data sources", 2),
        ("Cleaning rules", 2),
    ]


def _numbered(number: str, head: str, base: float) -> TextLine:
    """A line of text that begins with a number, an em of space, and a head in the same face."""
    first = words(number, x=60.0, base=base)
    rest = words(f"{head} The text goes on here", x=first[-1].x1 + 8.0, base=base)
    (found,) = lines_of(runs_of([*first, *rest], 8.0), 1)
    return found


def _deep(*heads: tuple[str, str]) -> list[PlacedLine]:
    lines = [line("1 Introduction", base=80.0, size=10, bold=True), *prose(4, base=104.0)]
    base = 104.0 + 6 * PITCH
    for number, head in heads:
        lines += [_numbered(number, head, base), *prose(3, base=base + PITCH)]
        base += 6 * PITCH
    return flow(lines)


def test_a_number_of_four_parts_and_a_colon_make_a_head_of_the_texts_own_face() -> None:
    placed = _deep(("1.2.0.1", "Data and sources:"), ("1.2.0.2", "Cleaning.:"))
    assert _found(placed) == [("1.2.0.1 Data and sources:", 2), ("1.2.0.2 Cleaning.:", 2)]


def test_such_a_head_follows_another_or_is_the_first() -> None:
    assert _found(_deep(("1.2.0.4", "Data and sources:"))) == []


def test_such_a_number_without_a_colon_makes_none() -> None:
    assert _found(_deep(("1.2.0.1", "Data and sources"))) == []


def _spaced(head: str, base: float) -> TextLine:
    first = words(head, x=60.0, base=base, font="Other")
    italic = [word._replace(italic=True) for word in first]
    rest = words("The text goes on here", x=first[-1].x1 + 8.0, base=base)
    (found,) = lines_of(runs_of([*italic, *rest], 8.0), 1)
    return found


def test_italic_heads_need_no_stop_before_an_em_of_space() -> None:
    lines = [line("1 Introduction", base=80.0, size=10, bold=True), *prose(4, base=104.0)]
    base = 104.0 + 4 * PITCH
    for head in ("Data sources", "Cleaning rules"):
        lines += [_spaced(head, base), *prose(3, base=base + PITCH)]
        base += 4 * PITCH
    assert _below_outline(flow(lines)) == [("Data sources", 2), ("Cleaning rules", 2)]


def test_a_head_that_fills_its_line_is_like_those_that_do_not() -> None:
    lines: list[TextLine] = []
    for n, name in enumerate(("Introduction", "Method", "Results")):
        lines.append(line(f"{n + 1} {name}", base=80.0 + 96 * n, size=10, bold=True))
        lines += prose(4, base=104.0 + 96 * n)
    filling = line("Data and sources of all", base=370.0, x1=350.0, bold=True)
    begun = line("The text goes on in the usual face here", base=370.0 + PITCH, x1=350.0)
    alone = flow([*lines, filling, begun, *prose(2, base=370.0 + 2 * PITCH)])
    other = [_begun("Cleaning rules", 450.0), *prose(3, base=450.0 + PITCH)]
    both = flow([*(placed.line for placed in alone), *other])
    outline = [OutlineMatch(i, i, 1) for i in (0, 5, 10)]
    assert [m.level for m in find_headings(both, STYLE, outline)] == [1, 1, 1, 2, 2]
    assert [m.level for m in find_headings(alone, STYLE, outline)] == [1, 1, 1]
