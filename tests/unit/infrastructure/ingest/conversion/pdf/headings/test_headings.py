from collections.abc import Sequence

from support.cases import each
from support.pdf.page_lines import PITCH, STYLE, flow, line, prose

from citeloom.infrastructure.ingest.conversion.pdf.headings.candidates import may_head
from citeloom.infrastructure.ingest.conversion.pdf.headings.headings import find_headings
from citeloom.infrastructure.ingest.conversion.pdf.headings.outlines import (
    OutlineEntry,
    OutlineMatch,
    contents_lines,
    match_outline,
)
from citeloom.infrastructure.ingest.conversion.pdf.lines.line_flow import PlacedLine
from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import TextLine
from citeloom.infrastructure.ingest.conversion.pdf.lines.vocabulary import (
    headings_between,
    numbering_candidates,
    numbering_of,
)


def _document(*heads: tuple[str, float, bool]) -> list[PlacedLine]:
    """Headings (text, size, bold), each with a paragraph below it."""
    lines: list[TextLine] = []
    base = 100.0
    for text, size, bold in heads:
        for part in text.split("\n"):
            lines.append(line(part, base=base, size=size, bold=bold))
            base += size * 1.3
        base += 8.0
        lines += prose(4, base=base)
        base += 4 * PITCH + 14.0
    return flow(lines)


def _set_off(*heads: str) -> list[PlacedLine]:
    """Headings in the text's own type, each with space around it and a paragraph below."""
    lines: list[TextLine] = []
    base = 100.0
    for text in heads:
        lines += [line(text, base=base), *prose(4, base=base + 1.4 * PITCH)]
        base += 4.4 * PITCH + 2 * PITCH
    return flow(lines)


def _found(
    placed: Sequence[PlacedLine], outline: Sequence[OutlineMatch] = ()
) -> list[tuple[str, int]]:
    marks = find_headings(placed, STYLE, outline)
    return [
        (" ".join(placed[i].line.text for i in range(m.first, m.last + 1)), m.level) for m in marks
    ]


def test_numbered_headings_get_their_levels_from_their_numbers() -> None:
    placed = _document(
        ("1 Introduction", 10, True),
        ("2 Method", 10, True),
        ("2.1 Data", 9, True),
        ("2.1.1 Cleaning", 8, True),
        ("3 Results", 10, True),
    )
    assert [level for _, level in _found(placed)] == [1, 1, 2, 3, 1]


def test_unnumbered_bold_is_no_heading_in_a_numbered_document() -> None:
    placed = _document(
        ("1 Introduction", 10, True),
        ("A bold remark", 8, True),
        ("2 Method", 10, True),
        ("3 Results", 10, True),
        ("References", 10, True),
    )
    assert [text for text, _ in _found(placed)] == [
        "1 Introduction",
        "2 Method",
        "3 Results",
        "References",
    ]


def test_theorem_heads_are_no_headings_but_sections_about_proofs_are() -> None:
    placed = _document(
        ("1 Introduction", 10, True),
        ("Theorem 1.2", 8, True),
        ("2 Proofs of the bounds", 10, True),
        ("Proof of Theorem 2", 8, True),
        ("3 Problem statement", 10, True),
    )
    assert [text for text, _ in _found(placed)] == [
        "1 Introduction",
        "2 Proofs of the bounds",
        "3 Problem statement",
    ]


def test_unnumbered_headings_are_ranked_by_their_type() -> None:
    placed = _document(
        ("Summary", 12, True), ("A closer look", 9.5, True), ("Story of the project", 12, True)
    )
    assert _found(placed) == [
        ("Summary", 1),
        ("A closer look", 2),
        ("Story of the project", 1),
    ]


def test_a_heading_broken_over_lines_is_one() -> None:
    placed = _document(("A heading that is so long\nthat it takes two lines", 12, True))
    assert _found(placed) == [("A heading that is so long that it takes two lines", 1)]


def test_items_of_a_bold_list_are_no_sections() -> None:
    placed = _document(
        ("Summary", 12, True),
        ("Introduction", 12, True),
        ("1. Learn it", 8, True),
        ("2. Use it", 8, True),
        ("3. Teach it", 8, True),
        ("Conclusion", 12, True),
    )
    assert not [text for text, _ in _found(placed) if text[0].isdigit()]


def test_a_sentence_in_bold_is_no_heading() -> None:
    assert _found(_document(("This sentence is set in bold type.", 8, True))) == []


def test_labels_that_repeat_are_no_headings() -> None:
    placed = _document(*[("Input Layer", 10, True)] * 4)
    assert _found(placed) == []


def test_the_outline_names_headings_that_look_like_text() -> None:
    placed = _document(("Plain heading", 8, False), ("Another one", 8, False))
    matches, sound = match_outline(
        [OutlineEntry("Plain heading", 1, 1), OutlineEntry("2. Another one", 2, 1)], placed
    )
    assert sound
    assert _found(placed, matches) == [("Plain heading", 1), ("Another one", 2)]


def test_an_outline_title_must_be_the_whole_line() -> None:
    matches, sound = match_outline([OutlineEntry("the quick brown fox", 1, 1)], flow(prose(5)))
    assert matches == []
    assert not sound


def test_the_title_above_all_other_entries_is_no_level() -> None:
    titles = ("Warp and Weft", "Yarn", "Knots", "Looms")
    lines = [line(text, base=100.0 + 30 * n) for n, text in enumerate(titles)]
    entries = [OutlineEntry(*of, 1) for of in zip(titles, (1, 2, 3, 2), strict=True)]
    assert [match.level for match in match_outline(entries, flow(lines))[0]] == [1, 1, 2, 1]


def test_an_outline_title_is_found_over_several_lines() -> None:
    placed = _document(("A heading of\ntwo lines", 10, True))
    ((first, last, level),), _ = match_outline(
        [OutlineEntry("A heading of two lines", 3, 1)], placed
    )
    assert (first, last, level) == (0, 1, 3)


def test_section_numbers_are_read_in_their_usual_forms() -> None:
    cases = {
        "2.1 Data": ((2, 1), "1"),
        "IV. Results": ((4,), "I"),
        "II.b What we found": ((2, 2), "I"),
        "3.a Data": ((3, 1), "1"),
        "A.2 Proofs": ((1, 2), "A"),
        "Appendix B More": ((2,), "A"),
        "Anhang A": ((1,), "A"),
        "3. Method": ((3,), "1"),
        "1.2..3 Data": ((1, 2, 3), "1"),
        "\u7b2c\u4e8c\u7ae0 \u65b9\u6cd5": ((2,), "\u7ae0"),
    }
    for text, (path, scheme) in cases.items():
        numbering = numbering_of(text)
        assert numbering is not None, text
        assert (numbering.path, numbering.scheme) == (path, scheme)
    assert numbering_of("Introduction") is None
    assert numbering_of("1998") is None
    assert {n.path for n in numbering_candidates("I. Introduction")} == {(1,), (9,)}


@each(
    ("path", "last", "missing"),
    [
        ((1,), (), 0),
        ((3,), (), 2),
        ((2,), (1, 3), 0),
        ((1, 1), (1,), 0),
        ((1, 2), (1, 1, 4), 0),
        ((3, 2), (2,), 2),  # 3 and 3.1
        ((1, 0, 0, 1), (1,), 0),
        ((4,), (1,), 2),
        ((3, 1), (1, 2), 2),
        ((1,), (1, 2), None),
        ((2,), (2,), None),
        ((1, 3), (2,), None),
    ],
)
def test_headings_between_two_numbers_are_counted(
    path: tuple[int, ...], last: tuple[int, ...], missing: int | None
) -> None:
    assert headings_between(path, last) == missing


def test_numbered_headings_in_the_type_of_the_text_are_found_by_the_space_around_them() -> None:
    placed = _set_off("1. Introduction", "2. Material and methods", "Appendix: a grid")
    assert _found(placed) == [
        ("1. Introduction", 1),
        ("2. Material and methods", 1),
        ("Appendix: a grid", 1),
    ]


def test_a_short_line_set_off_by_space_alone_is_no_heading() -> None:
    assert _found(_set_off("A verse by itself", "Another verse")) == []


def test_letters_below_roman_numbers_are_subsections_and_begin_anew() -> None:
    placed = _document(
        ("I. INTRODUCTION", 10, True),
        ("II. METHOD", 10, True),
        ("A. Data", 9, True),
        ("B. Training", 9, True),
        ("III. RESULTS", 10, True),
        ("A. Accuracy", 9, True),
        ("IV. CONCLUSION", 10, True),
    )
    assert [level for _, level in _found(placed)] == [1, 1, 2, 2, 1, 2, 1]


def test_letters_in_the_type_of_the_sections_are_appendices() -> None:
    placed = _document(
        ("1 Introduction", 10, True),
        ("2 Method", 10, True),
        ("2.1 Data", 9, True),
        ("3 Results", 10, True),
        ("A Proofs", 10, True),
        ("A.1 The first bound", 9, True),
        ("B Tables", 10, True),
    )
    assert [level for _, level in _found(placed)] == [1, 1, 2, 1, 1, 2, 1]


def test_appendices_have_letters_where_sections_have_them_too() -> None:
    placed = _document(
        ("A. Introduction", 10, True),
        ("B. Method", 10, True),
        ("C. Results", 10, True),
        ("A. Proofs", 10, True),
        ("A.1. The first bound", 9, True),
    )
    assert [level for _, level in _found(placed)] == [1, 1, 1, 1, 2]


def test_a_missed_section_does_not_hide_those_below_it() -> None:
    placed = _document(
        ("1 Introduction", 10, True),
        ("2 Method", 10, True),
        ("3.1 Data", 9, True),
        ("3.2 Tests", 9, True),
        ("4 Results", 10, True),
    )
    assert [level for _, level in _found(placed)] == [1, 1, 2, 2, 1]


def test_a_title_that_begins_like_a_number_is_ranked_by_its_type() -> None:
    placed = _document(
        ("Summary", 12, True),
        ("Target Audience", 9.5, True),
        ("A Need for Portability", 9.5, True),
        ("Part 1: Setting Out", 9.5, True),
        ("Acknowledgements", 12, True),
    )
    assert [level for _, level in _found(placed)] == [1, 2, 2, 2, 1]


def test_usual_names_are_headings_in_other_languages_too() -> None:
    names = ["Zusammenfassung", "R\u00e9f\u00e9rences", "Danksagung", "\ucc38\uace0\ubb38\ud5cc"]
    placed = _set_off(*names)
    assert _found(placed) == [(name, 1) for name in names]


@each(
    ("text", "may"),
    [
        ("$ pip install something", False),
        ("python train.py --epochs 3", False),
        ("tar -x archive", False),
        ("load_data(path)", False),
        ("4.3 Error-detection and -mitigation", True),
        ("Costs in $ and \u20ac", True),
    ],
)
def test_a_line_of_a_command_is_no_heading(text: str, may: bool) -> None:
    assert may_head(text) is may


def test_a_title_below_its_chapter_number_is_one_heading_with_it() -> None:
    lines: list[TextLine] = []
    base = 100.0
    for number, title in enumerate(("Introduction", "Methods", "Results"), start=1):
        lines.append(line(f"Chapter {number}", base=base, size=14, bold=True))
        lines.append(line(title, base=base + 40.0, size=18, bold=True))
        lines += prose(4, base=base + 80.0)
        base += 80.0 + 4 * PITCH + 20.0
    assert _found(flow(lines)) == [
        ("Chapter 1 Introduction", 1),
        ("Chapter 2 Methods", 1),
        ("Chapter 3 Results", 1),
    ]


def test_small_capitals_of_a_lower_cell_are_headings_when_set_off() -> None:
    lines: list[TextLine] = []
    base = 100.0
    for text in ("1. Introduction", "2. Methods", "3. Results"):
        lines += [line(text, base=base, size=5, font="CMCSC10"), *prose(4, base=base + 20.0)]
        base += 20.0 + 4 * PITCH + 14.0
    assert [level for _, level in _found(flow(lines))] == [1, 1, 1]


def test_numbered_small_capitals_made_of_large_ones_are_headings_of_two_lines() -> None:
    lines: list[TextLine] = []
    base = 100.0
    for text in ("I. FIRST-ORDER ENZYMES AND", "II. STATIONARY TESTS OF", "III. REMARKS ON"):
        lines.append(line(text, base=base, size=8))
        lines.append(line("ALL OTHER NARRATIVES", base=base + PITCH, size=6.4))
        lines += prose(4, base=base + 2.2 * PITCH)
        base += 9 * PITCH
    assert _found(flow(lines)) == [
        ("I. FIRST-ORDER ENZYMES AND ALL OTHER NARRATIVES", 1),
        ("II. STATIONARY TESTS OF ALL OTHER NARRATIVES", 1),
        ("III. REMARKS ON ALL OTHER NARRATIVES", 1),
    ]


def test_a_table_of_contents_is_no_heading() -> None:
    names = ["1 Introduction 2", "1.1 Data . . . . . . . . . 3", "2 Methods 9", "3 Results 12"]
    first = [line("Contents", base=80.0, size=14, bold=True)]
    first += [line(t, base=110.0 + 20 * i, bold="." not in t) for i, t in enumerate(names)]
    text = [line("Chapter 1", base=80.0, size=14, bold=True, page=2)]
    text += [line("Introduction", base=110.0, size=18, bold=True, page=2)]
    placed = flow(first, [*text, *prose(4, base=150.0, page=2)])
    assert contents_lines(placed) == frozenset(range(1, 5))


def test_numbers_go_on_from_those_of_the_outline() -> None:
    lines: list[TextLine] = []
    for n, text in enumerate(("1 Data", "2 Methods", "2.1 Models", "3 End", "3.1 Last words")):
        base = 100.0 + 7 * PITCH * n
        lines += [line(text, base=base, bold=True), *prose(4, base=base + 1.4 * PITCH)]
    placed = flow(lines)
    tops = [i for i, p in enumerate(placed) if p.line.text in ("1 Data", "2 Methods", "3 End")]
    outline = [OutlineMatch(i, i, 1) for i in tops]
    marks = find_headings(placed, STYLE, outline)
    assert [m.level for m in marks] == [1, 1, 2, 1, 2]


def test_a_chapter_of_the_outline_takes_its_number_with_it() -> None:
    lines = [line("Chapter 2", base=100.0, size=14, bold=True)]
    lines += [line("Methods", base=140.0, size=18, bold=True), *prose(4, base=180.0)]
    marks = find_headings(flow(lines), STYLE, [OutlineMatch(1, 1, 1)])
    assert [(m.first, m.last, m.level) for m in marks] == [(0, 1, 1)]
