"""The printed labels of pages: from the PDF itself, else read from heads and feet."""

import re
from collections.abc import Mapping, Sequence

from citeloom.domain.documents.conversion import LabelSource
from citeloom.infrastructure.ingest.conversion.pdf.lines.running_heads import (
    common_offset,
    edge_numbers,
)

_DATE = re.compile(r"\b(?:19|20)\d\d\b")
_LEAST = 3  # pages that must agree


def printed_labels(furniture: Mapping[int, Sequence[str]], pages: int) -> dict[int, str]:
    """Labels by page, if the numbers in heads and feet go up with the pages; else none.

    ``furniture`` holds the rows of each page. A page whose own number is missing gets a
    label only between two pages that have theirs.
    """
    numbers = {
        page: [n for row in rows for n in edge_numbers(row)] for page, rows in furniture.items()
    }
    numbers = {page: found for page, found in numbers.items() if found}
    needed = max(_LEAST, (len(numbers) + 1) // 2) if pages >= _LEAST else pages
    if pages < 2:
        return {}
    offset = common_offset(numbers, max(needed, 2))
    if offset is None or offset < -pages:
        return {}
    certain = sorted(page for page, found in numbers.items() if page + offset in found)
    contrary = [page for page in numbers if page not in certain and _alone(furniture[page])]
    if contrary or not certain:
        return {}
    return {page: str(page + offset) for page in range(certain[0], certain[-1] + 1)}


def _alone(rows: Sequence[str]) -> bool:
    """Whether a row is nothing but a number."""
    return any(row.strip().isdigit() for row in rows)


def page_labels(
    declared: Sequence[str] | None, furniture: Mapping[int, Sequence[str]], pages: int
) -> dict[int, tuple[str, LabelSource]]:
    """Label and source by page; pages without a certain label are left out."""
    if declared is not None:
        return {
            page: (label, LabelSource.PDF)
            for page, label in enumerate(declared, start=1)
            if label.strip()
        }
    printed = printed_labels(furniture, pages)
    return {page: (label, LabelSource.PRINTED) for page, label in printed.items()}
