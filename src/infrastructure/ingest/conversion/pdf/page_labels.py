"""Page labels: declared in the PDF, else printed in heads and feet."""

import re
from collections.abc import Mapping, Sequence

from citeloom.domain.documents.conversion import LabelSource
from citeloom.infrastructure.ingest.conversion.pdf.lines.running_heads import (
    common_offset,
    edge_numbers,
)

_DATE = re.compile(r"\b(?:19|20)\d\d\b")
_FEWEST_PAGES = 3  # pages that must agree


def printed_labels(furniture: Mapping[int, Sequence[str]], pages: int) -> dict[int, str]:
    """Labels by page (from 1), if the numbers in heads and feet rise with the pages; else none.

    ``furniture`` holds the rows of each page. A page without a number gets a label only
    between two pages that have theirs.
    """
    numbers = {
        page: [n for row in rows for n in edge_numbers(row)] for page, rows in furniture.items()
    }
    numbers = {page: candidates for page, candidates in numbers.items() if candidates}
    fewest = max(_FEWEST_PAGES, (len(numbers) + 1) // 2) if pages >= _FEWEST_PAGES else pages
    if pages < 2:
        return {}
    offset = common_offset(numbers, max(fewest, 2))
    if offset is None or offset < -pages:
        return {}
    confirmed = sorted(page for page, candidates in numbers.items() if page + offset in candidates)
    contradicting = [
        page for page in numbers if page not in confirmed and _has_bare_number(furniture[page])
    ]
    if contradicting or not confirmed:
        return {}
    return {page: str(page + offset) for page in range(confirmed[0], confirmed[-1] + 1)}


def _has_bare_number(rows: Sequence[str]) -> bool:
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
