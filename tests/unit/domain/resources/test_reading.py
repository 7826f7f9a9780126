"""A part of a document as Markdown."""

from support.builders import Part, a_document

from citeloom.domain.documents.conversion import BlockLabel, Figure
from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.resources.reading import markdown_of

CAPTIONS = ("Figure 1: A pond.", "Figure 2: A grid.")


def test_each_picture_stands_above_its_own_caption() -> None:
    captioned = a_document([Part(BlockLabel.CAPTION, text) for text in CAPTIONS])
    figures = [Figure(page=1, bbox=(0, 0, 1, 1), caption=text) for text in (*CAPTIONS, None)]
    document = captioned.model_copy(update={"figures": tuple(figures)})
    whole = CharSpan(start=0, end=len(document.plain_text))

    pictures = {at: f"picture-{at}" for at in range(3)}
    assert markdown_of(document, whole, pictures) == (
        f"![](picture-0)\n\n{CAPTIONS[0]}\n\n![](picture-1)\n\n{CAPTIONS[1]}"
    )


def test_the_text_in_a_figure_is_quoted_line_by_line() -> None:
    document = a_document([Part(BlockLabel.FIGURE_TEXT, "days after\n60 %")])
    whole = CharSpan(start=0, end=len(document.plain_text))
    assert markdown_of(document, whole) == "> days after\n> 60 %"
