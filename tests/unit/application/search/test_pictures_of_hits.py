"""Which part of a page is shown with a hit: a figure, a table, a formula, or nothing."""

from typing import Any, cast

import pytest
from support.builders import DOC_ID, PAGE_WIDTH, Part, a_document, paragraph

from citeloom.application.ports.ingest import BundleStore
from citeloom.application.search.selection import ReadableHits
from citeloom.domain.documents.conversion import BlockLabel, ConversionResult, Figure
from citeloom.domain.documents.spans import BBox, ChunkKind
from citeloom.domain.errors import StorageFailed, WorkspaceTooNew
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.search.request import HitPicture, QueryResultItem

CAPTION = "Figure 1: Cooling by distance."
FIGURE: BBox = (40.0, 70.0, 600.0, 250.0)
ALONE = "Figure 2: Flow of the air."
TABLE = "Pond | Cooling\nNorth | 3.1"
PAPER = a_document(
    [
        paragraph("Cooling falls with distance, as Figure 1 shows.", 1),
        Part(BlockLabel.CAPTION, CAPTION, None, 1),
        Part(BlockLabel.FIGURE_TEXT, "Distance (m)\n0\n50", None, 1),
        paragraph("Ponds were compared in summer.", 2),
        Part(BlockLabel.CAPTION, "Table 1: Ponds.", None, 2),
        Part(BlockLabel.TABLE, TABLE, None, 2),
        paragraph("It follows that", 2),
        Part(BlockLabel.FORMULA, "cooling = area / distance", None, 2),
        Part(BlockLabel.CAPTION, "Table 2: Streets.", None, 2),
        Part(BlockLabel.TABLE, "Street | Width", None, 2),
        Part(BlockLabel.CAPTION, ALONE, None, 2),
    ]
)
PAPER = PAPER.model_copy(update={"figures": (Figure(page=1, bbox=FIGURE, caption=CAPTION),)})


class OneBundle:
    def __init__(self, document: ConversionResult | Exception) -> None:
        self._document = document

    def load(self, document_id: str) -> ConversionResult:
        if isinstance(self._document, Exception):
            raise self._document
        return self._document


def picture(
    first: str,
    best: str | None,
    kind: ChunkKind = ChunkKind.TEXT,
    paper: ConversionResult = PAPER,
    error: Exception | None = None,
) -> HitPicture | None:
    start = paper.plain_text.index(first)
    end = paper.plain_text.index(best or first) + len(best or first)
    values: dict[str, Any] = {
        "rank": 1, "score": 0.5, "text": paper.plain_text[start:end], "document_id": DOC_ID,
        "chunk_id": "1", "char_span": (start, end), "page_span": (1, 2), "address": "doc://x",
        "knowledge_uri": "ndk://file/p/d/$chunk/00", "source_path": "/ponds.pdf",
        "best_sentence": best, "kind": kind, "header": CAPTION,
    }  # fmt: skip
    hits = ReadableHits(cast(BundleStore, OneBundle(error or paper)))
    return hits.picture(QueryResultItem(**values), ProjectId.parse("local/thesis"))


@pytest.mark.parametrize(
    ("best", "kind"), [(CAPTION, ChunkKind.TEXT), (None, ChunkKind.FIGURE)], ids=["caption", "text"]
)
def test_a_caption_and_the_text_in_a_figure_show_the_figure(
    best: str | None, kind: ChunkKind
) -> None:
    shown = picture(best or "Distance (m)\n0\n50", best, kind)
    assert shown is not None
    assert (shown.page, shown.bbox) == (1, (36.0, 66.0, 604.0, 254.0))
    assert shown.uri.endswith(f"{DOC_ID[:16]}/$media/figure-1.png")


def test_a_row_shows_its_table_with_the_caption() -> None:
    shown = picture(TABLE, "North | 3.1", ChunkKind.TABLE)
    assert shown is not None
    of_both = [b for b in PAPER.blocks if PAPER.text_of(b.span) in (TABLE, "Table 1: Ponds.")]
    tops = [line.bbox[1] for block in of_both for line in block.lines]
    assert (shown.page, shown.bbox[1], shown.bbox[3]) == (2, min(tops) - 4, max(tops) + 16)
    assert shown.uri.endswith("/page/2.png")


def test_a_formula_shows_its_lines_and_no_others() -> None:
    shown = picture("It follows that", "cooling = area / distance")
    assert shown is not None
    assert shown.bbox[3] - shown.bbox[1] == 12 + 2 * 4


def test_the_page_around_a_caption_is_shown_where_its_figure_has_no_box() -> None:
    shown = picture(ALONE, ALONE)
    assert shown is not None
    lines = next(b.lines for b in PAPER.blocks if PAPER.text_of(b.span) == ALONE)
    left, top, right, bottom = shown.bbox
    assert (left, right) == (0, PAGE_WIDTH)
    assert top <= lines[0].bbox[1] - 40
    assert bottom >= lines[0].bbox[3] + 40
    assert shown.uri.endswith("/page/2.png")


@pytest.mark.parametrize("page", [1, 2], ids=["of another caption", "on the next page"])
def test_a_table_beside_the_caption_of_a_figure_is_not_its_picture(page: int) -> None:
    beside = Part(BlockLabel.TABLE, TABLE, None, page)
    paper = a_document([Part(BlockLabel.CAPTION, ALONE, None, 1), beside])
    of_caption, of_table = (
        picture(ALONE, ALONE, paper=paper),
        picture(TABLE, None, ChunkKind.TABLE, paper),
    )
    assert of_caption is not None
    assert of_table is not None
    assert (of_caption.page, of_caption.bbox[2]) == (1, PAGE_WIDTH)
    assert (of_table.page, of_table.bbox[3] - of_table.bbox[1]) == (page, 12 + 2 * 4)


def test_a_caption_that_its_table_does_not_share_a_page_with_is_shown_alone() -> None:
    named = Part(BlockLabel.CAPTION, "Table 1: Ponds.", None, 1)
    paper = a_document([named, Part(BlockLabel.TABLE, TABLE, None, 2)])
    shown = picture(named.text, named.text, paper=paper)
    assert shown is not None
    assert (shown.page, shown.bbox[2]) == (1, PAGE_WIDTH)


def test_running_text_has_no_picture() -> None:
    assert picture("Ponds were compared", "Ponds were compared in summer.") is None
    assert picture("Cooling falls", "Cooling falls with distance, as Figure 1 shows.") is None


def test_only_pdfs_have_pictures() -> None:
    slides = PAPER.model_copy(update={"mime_type": "application/vnd.ms-powerpoint"})
    assert picture(CAPTION, CAPTION, paper=slides) is None


@pytest.mark.parametrize("error", [StorageFailed("damaged"), WorkspaceTooNew("upgrade")])
def test_a_hit_whose_conversion_cannot_be_read_has_no_picture(error: Exception) -> None:
    assert picture(CAPTION, CAPTION, error=error) is None
