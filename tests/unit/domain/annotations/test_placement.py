"""Where annotations stand in a document."""

from support.builders import DOC_ID, PAGE_HEIGHT, PAGE_WIDTH, a_document, annotation, paragraph

from citeloom.domain.annotations import AnnotationLocator, AnnotationPlace, Located
from citeloom.domain.documents.conversion import (
    Block,
    BlockLabel,
    ConversionResult,
    Furniture,
    PageEntry,
    Structure,
)
from citeloom.domain.documents.spans import CharSpan, Line
from citeloom.domain.library import AnnotationKind, LibraryAnnotation

# Lines of blocks: page, top in points, text. A line that ends with a space goes on in the next.
PRINTED = (
    ((1, 100.0, "Ponds cool the street. "), (1, 112.0, "They cool it most in the even-\n")),
    ((1, 300.0, "A pond warms at night. "), (1, 312.0, "Ponds cool the street again.")),
    ((2, 100.0, "The cooling falls with the distance "), (3, 100.0, "from the water, and ends.")),
    ((3, 300.0, "The regression of cooling on distance is linear here."),),
)


def printed(*, height: float = PAGE_HEIGHT, pages: int = 4) -> ConversionResult:
    text, blocks = "", []
    for lines in PRINTED:
        placed, start = [], len(text)
        for page, top, words in lines:
            end = len(text) + len(words)
            box = (72.0, top, 72.0 + 6 * len(words), top + 12.0)
            placed.append(Line(len(text), end, page, box))
            text += words
        span = CharSpan(start=start, end=len(text))
        blocks.append(Block(label=BlockLabel.TEXT, span=span, lines=tuple(placed)))
        text += "\n\n"
    entries = tuple(PageEntry(page=n, width=PAGE_WIDTH, height=height) for n in range(1, pages + 1))
    return ConversionResult(
        doc_id=DOC_ID,
        structure=Structure(heading_tree=(), page_map=entries),
        plain_text=text,
        blocks=tuple(blocks),
    )


DOCUMENT = printed()


def at(top: float, left: float = 72.0, width: float = 60.0) -> tuple[float, float, float, float]:
    """A box of one line, counted from the bottom as the library counts."""
    return (left, PAGE_HEIGHT - top - 12.0, left + width, PAGE_HEIGHT - top)


def place(
    wanted: LibraryAnnotation, document: ConversionResult = DOCUMENT
) -> tuple[AnnotationPlace, str]:
    found = AnnotationLocator(document).place(wanted)
    assert found is not None
    return found, document.text_of(found.span)


def test_marked_words_are_found_on_their_page_with_the_box_of_their_line() -> None:
    found, text = place(annotation("They cool it most"))
    assert (found.located, text, found.warning) == (Located.WORDS, "They cool it most", None)
    assert [(r.page, r.bbox[1]) for r in found.regions] == [(1, 112.0)]


def test_of_several_places_the_one_nearest_to_the_boxes_is_meant() -> None:
    first, _ = place(annotation("Ponds cool the street", rects=(at(101.0),)))
    second, _ = place(annotation("Ponds cool the street", rects=(at(311.0),)))
    assert (first.regions[0].bbox[1], second.regions[0].bbox[1]) == (100.0, 312.0)


def test_of_two_places_in_one_line_the_nearest_is_meant() -> None:
    document = a_document([paragraph("pond and street and pond", 1)])
    left, _ = place(annotation("pond", rects=((36.0, 744.0, 60.0, 756.0),)), document)
    right, _ = place(annotation("pond", rects=((440.0, 744.0, 500.0, 756.0),)), document)
    assert (left.span.start, right.span.start) == (0, 20)


def test_a_mark_may_go_over_to_the_next_page() -> None:
    found, text = place(annotation("the distance from the water,", page=2))
    assert text == "the distance from the water,"
    assert found.page_span is not None
    assert found.page_span.as_tuple() == (2, 3)
    assert [region.page for region in found.regions] == [2, 3]


def test_long_words_that_stand_on_another_page_alone_are_believed_and_told() -> None:
    found, text = place(annotation("The regression of cooling on distance is linear", page=1))
    assert (found.page, found.located) == (3, Located.WORDS)
    assert text.startswith("The regression")
    assert found.warning == "its words are on page 3, not on page 1 as the library says"


def test_words_of_a_running_head_are_marked_there_and_not_in_the_title() -> None:
    words = "The regression of cooling on distance is linear"
    head = Furniture(page=1, text=f"2 {words} here. 117", bbox=(72.0, 20.0, 400.0, 32.0))
    document = DOCUMENT.model_copy(update={"furniture": (head,)})
    found, _ = place(annotation(words, page=1, rects=(at(20.0, width=300.0),)), document)
    assert (found.page, found.located) == (1, Located.PLACE)
    found, _ = place(annotation(words, page=1), document)
    assert (found.page, found.located) == (1, Located.PAGE)


def test_words_in_a_figure_stay_there_although_the_text_has_them_elsewhere() -> None:
    words = "The regression of cooling on distance is linear"
    found, _ = place(annotation(words, page=1, rects=(at(600.0),)))
    assert (found.page, found.located) == (1, Located.PLACE)
    found, _ = place(annotation(words, page=1, rects=(at(100.0),)))
    assert (found.page, found.located) == (3, Located.WORDS)


def test_short_words_that_stand_on_another_page_do_not_move_a_mark() -> None:
    found, text = place(annotation("regression", page=1, rects=(at(112.0),)))
    assert (found.page, found.located) == (1, Located.PLACE)
    assert text.startswith("They cool")


def test_words_that_are_not_in_the_text_are_the_lines_under_the_boxes() -> None:
    rects = (at(300.0, width=150.0), at(312.0, width=150.0))
    found, text = place(annotation("P\u2202nds warm", page=1, rects=rects))
    assert found.located is Located.PLACE
    assert text == "A pond warms at night. Ponds cool the street again."


def test_boxes_on_both_pages_mark_lines_of_both() -> None:
    rects, over = (at(100.0),), (at(100.0),)
    found, text = place(annotation("?", page=2, rects=rects, rects_next=over))
    assert text == "The cooling falls with the distance from the water, and ends."
    assert found.page_span is not None
    assert found.page_span.as_tuple() == (2, 3)


def test_what_is_marked_on_the_next_page_alone_is_not_where_a_mark_begins() -> None:
    rects, over = (at(700.0),), (at(300.0, width=300.0),)
    found, text = place(annotation("?", page=2, rects=rects, rects_next=over))
    assert (found.page, text) == (2, "The cooling falls with the distance ")


def test_words_around_a_running_head_are_found_by_how_they_begin_and_end() -> None:
    parts = [
        paragraph("So it is plain that the cooling falls with the distance from", 1),
        paragraph("the water, and is gone at one hundred metres. And so on.", 2),
    ]
    document = a_document(parts, separator=" ")
    begin, end = "the cooling falls with the distance from", "the water, and is gone at one hundred"
    _, text = place(annotation(f"{begin}\n128 A. Smith, On ponds\n{end}"), document)
    assert text == f"{begin} {end}"
    moved, _ = place(annotation(f"{begin}\n128 A. Smith, On ponds\n{end}", page=2), document)
    assert moved.located is Located.PAGE


def test_a_note_beside_the_text_belongs_to_the_nearest_paragraph() -> None:
    note = annotation(kind=AnnotationKind.NOTE, rects=((540.0, 470.0, 562.0, 492.0),))
    found, text = place(note)
    assert found.located is Located.PLACE
    assert text.startswith("A pond warms")


def test_without_boxes_only_the_page_is_known() -> None:
    found, text = place(annotation("not here", page=3))
    assert (found.located, found.page, found.regions) == (Located.PAGE, 3, ())
    assert text == "from the water, and ends."


def test_boxes_say_nothing_where_the_height_of_the_page_is_not_known() -> None:
    found, _ = place(annotation("not here", rects=(at(312.0),)), printed(height=0.0))
    assert found.located is Located.PAGE


def test_a_page_without_text_has_an_empty_one_there_and_not_that_of_another_page() -> None:
    found, text = place(annotation("not here", page=4, rects=(at(100.0),)))
    assert (found.located, found.page, text) == (Located.PAGE, 4, "")


def test_a_page_that_the_document_has_not_is_no_place() -> None:
    assert AnnotationLocator(DOCUMENT).place(annotation("not here", page=9)) is None
    found, _ = place(annotation("regression of cooling on distance", page=9))
    assert found.page == 3


def test_in_formats_without_pages_the_words_alone_tell_the_place() -> None:
    document = a_document([paragraph("Ponds cool."), paragraph("Ponds warm. Ponds cool.")])
    found, text = place(annotation("warm", page=None), document)
    assert (text, found.page_span, found.warning) == ("warm", None, None)
    several, _ = place(annotation("Ponds", page=None), document)
    assert several.span.start == 0
    assert several.warning == "its words occur 3 times in the text; the first place is used"
    assert AnnotationLocator(document).place(annotation("streets", page=None)) is None
