"""Form fields of a page: what is filled in becomes text of the page."""

from enum import Enum, auto

import pypdfium2
import pypdfium2.raw as pdfium

_FILLED_IN = (  # what buttons and signatures show is no text of the document
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
    """Have pdfium tell the kinds of fields, and draw those that bear no drawing of their own. To
    be called before the first page is loaded."""
    if document.get_formtype() == pdfium.FORMTYPE_NONE:
        return
    settings = pdfium.FPDF_FORMFILLINFO(version=2)
    form = pdfium.FPDFDOC_InitFormFillEnvironment(document, settings)
    if form:
        document.formenv = pypdfium2.PdfFormEnv(form, settings)


def draw_fields(page: pypdfium2.PdfPage) -> bool:
    """Make what is filled into the page's fields, or chosen, content of the page, as it is drawn.

    Whether there was any; then the page must be loaded anew. Text boxes on such a page are labels
    or answers, too. All other annotations are taken off it: what readers note is not of the
    document.
    """
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
