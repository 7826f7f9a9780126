"""Quotations as a Word document (port ``QuotationWriter``)."""

import io
from collections.abc import Sequence

from citeloom.application.citation.quotations import CitedQuotation
from citeloom.infrastructure.research.provenance import REFERENCES
from citeloom.infrastructure.research.safe_text import line
from citeloom.infrastructure.research.word_markdown import add_inline
from citeloom.infrastructure.research.word_parts import (
    add_link,
    add_paragraph,
    add_text,
    new_document,
    set_direction,
    without_timestamps,
)

_TITLE = "Quotations"


class WordQuotations:
    def write(self, quotations: Sequence[CitedQuotation], bibliography: Sequence[str]) -> bytes:
        document = new_document()
        document.core_properties.title = _TITLE
        document.core_properties.author = "CiteLoom"
        document.core_properties.comments = ""
        add_text(add_paragraph(document, "Title"), _TITLE)
        for one in quotations:
            paragraph = add_paragraph(document, "Quote")
            add_text(paragraph, f"“{line(one.text)}” ")
            add_link(paragraph, one.citation, one.link)
            set_direction(paragraph)
        if bibliography:
            add_text(add_paragraph(document, "Heading 1"), REFERENCES)
            for entry in bibliography:
                add_inline(add_paragraph(document), entry)
        buffer = io.BytesIO()
        document.save(buffer)
        return without_timestamps(buffer.getvalue())
