"""Words that a page shows or that are the text of its picture, and what is left out."""

import re
from collections.abc import Sequence
from enum import Enum, auto

import numpy as np
import pypdfium2
import pypdfium2.raw as pdfium

from citeloom.domain.documents.spans import BBox

from .hidden_text import Hidden

_OF_A_LAYER = (Hidden.INVISIBLE, Hidden.COVERED, Hidden.NO_CONTRAST)
# Embeddings, overrides and tags reorder or smuggle text; other hidden characters are harmless.
_DECEIVING = re.compile("[\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")


def left_out(
    texts: Sequence[str],
    boxes: Sequence[BBox],
    reasons: Sequence[Hidden | None],
    pictures: Sequence[BBox],
) -> dict[int, Hidden]:
    """The index of each word of a page to leave out, with its reason. ``boxes`` and ``pictures``
    are in points from the top left; the reason of a visible word is None. Words over or under a
    picture are its text layer (OCR), and are read if they outweigh the visible ones; so are
    invisible words of a page without visible ones."""
    hidden = {at: reason for at, reason in enumerate(reasons) if reason is not None}
    if not hidden:
        return {}
    seen = sum(len(text) for at, text in enumerate(texts) if at not in hidden)
    over_pictures = _over(pictures, [boxes[at] for at in hidden])
    layer = {
        at
        for (at, reason), over_picture in zip(hidden.items(), over_pictures, strict=True)
        if (reason in _OF_A_LAYER and over_picture) or (reason is Hidden.INVISIBLE and not seen)
    }
    if sum(len(texts[at]) for at in layer) > seen:
        return {at: reason for at, reason in hidden.items() if at not in layer}
    return hidden


def _over(pictures: Sequence[BBox], boxes: Sequence[BBox]) -> list[bool]:
    """Whether the middle of each box is in one of the pictures; a scan may be hundreds."""
    x0, top, x1, bottom = np.array(pictures).reshape(-1, 4).T
    middles = ((np.array(boxes)[:, :2] + np.array(boxes)[:, 2:]) / 2).tolist()
    return [bool(np.any((x0 <= x) & (x <= x1) & (top <= y) & (y <= bottom))) for x, y in middles]


def deceives(text: str) -> bool:
    """Whether a word has characters that reorder its others or hide a text of their own."""
    return not text.isascii() and bool(_DECEIVING.search(text))


_FILLED_IN = (  # what buttons and signatures show is not text of the document
    pdfium.FPDF_FORMFIELD_TEXTFIELD,
    pdfium.FPDF_FORMFIELD_COMBOBOX,
    pdfium.FPDF_FORMFIELD_LISTBOX,
)
_UNSEEN = (
    pdfium.FPDF_ANNOT_FLAG_INVISIBLE | pdfium.FPDF_ANNOT_FLAG_HIDDEN | pdfium.FPDF_ANNOT_FLAG_NOVIEW
)


class _Kind(Enum):
    FIELD = auto()
    TEXT_BOX = auto()
    OTHER = auto()


def open_form(document: pypdfium2.PdfDocument) -> None:
    """Have pdfium report the kinds of fields, and draw those without a drawing of their own. Call
    it before the first page is loaded."""
    if document.get_formtype() == pdfium.FORMTYPE_NONE:
        return
    settings = pdfium.FPDF_FORMFILLINFO(version=2)
    form = pdfium.FPDFDOC_InitFormFillEnvironment(document, settings)
    if form:
        document.formenv = pypdfium2.PdfFormEnv(form, settings)


def draw_fields(page: pypdfium2.PdfPage) -> bool:
    """Draw the filled or chosen values of the page's fields into its content. Returns whether there
    were any; the page must then be loaded again. Text boxes on such a page are labels or answers
    too. All other annotations are removed, because readers' notes are not part of the document."""
    if page.formenv is None:
        return False
    kinds = [_kind(page, index) for index in range(pdfium.FPDFPage_GetAnnotCount(page))]
    if _Kind.FIELD not in kinds:
        return False
    for index in reversed(range(len(kinds))):
        if kinds[index] is _Kind.OTHER:
            pdfium.FPDFPage_RemoveAnnot(page, index)
    return bool(pdfium.FPDFPage_Flatten(page, pdfium.FLAT_NORMALDISPLAY) == pdfium.FLATTEN_SUCCESS)


def _kind(page: pypdfium2.PdfPage, index: int) -> _Kind:
    annotation = pdfium.FPDFPage_GetAnnot(page, index)
    if not annotation:
        return _Kind.OTHER
    try:
        if pdfium.FPDFAnnot_GetFlags(annotation) & _UNSEEN:
            return _Kind.OTHER
        if pdfium.FPDFAnnot_GetSubtype(annotation) == pdfium.FPDF_ANNOT_FREETEXT:
            return _Kind.TEXT_BOX
        field = pdfium.FPDFAnnot_GetFormFieldType(page.formenv, annotation)
        return _Kind.FIELD if field in _FILLED_IN else _Kind.OTHER
    finally:
        pdfium.FPDFPage_CloseAnnot(annotation)
