"""Printed page labels derived from the page range of a library item."""

import re
from collections.abc import Mapping, Sequence

from citeloom.domain.citation.metadata import CitationMeta, labels_of
from citeloom.domain.documents.chunk import Chunk
from citeloom.domain.documents.conversion import ConversionResult, LabelSource, PageEntry

_RANGE = re.compile(
    r"^(?:pp?\.\s*)?(?P<prefix>[A-Za-z]?)(?P<first>\d{1,6})\s*(?:-{1,3}|[\u2010-\u2015])\s*"
    r"(?P=prefix)(?P<last>\d{1,6})$"
)


def page_range(csl_page: str | None) -> tuple[str, int, int] | None:
    """Prefix, first and last page of a CSL ``page``; None for an article number or a list.

    The last page may be shortened: 127-30 is 127 to 130 (CSL 1.0.2, page-range-format).
    """
    match = _RANGE.match((csl_page or "").strip())
    if match is None:
        return None
    first, last = match["first"], match["last"]
    last = first[: len(first) - len(last)] + last
    if int(last) < int(first):
        return None
    return match["prefix"], int(first), int(last)


def confirm_labels(page_map: Sequence[PageEntry], csl_page: str | None) -> tuple[PageEntry, ...]:
    """The page map with the labels that the item's page range implies.

    Pages get labels of source CSL if no page has one and the range is as long as the document,
    or if the extrapolated printed numbers begin or end with the range. Known labels are never
    changed.
    """
    entries = tuple(page_map)
    csl_range = page_range(csl_page)
    if csl_range is None or all(entry.label for entry in entries):
        return entries
    prefix, first, last = csl_range
    known = [entry for entry in entries if entry.label]
    if any(entry.label_source is not LabelSource.PRINTED for entry in known):
        return entries
    offsets = {_offset(entry, prefix) for entry in known}
    fits = first - 1 in offsets or last - len(entries) in offsets
    if not known and last - first + 1 == len(entries):
        offset = first - 1
    elif len(offsets) == 1 and fits:
        offset = first - 1 if first - 1 in offsets else last - len(entries)
    else:
        return entries
    return tuple(
        entry
        if entry.label or not first <= entry.page + offset <= last
        else entry.model_copy(
            update={"label": f"{prefix}{entry.page + offset}", "label_source": LabelSource.CSL}
        )
        for entry in entries
    )


def _offset(entry: PageEntry, prefix: str) -> int | None:
    """Printed number minus page number; None for a label that is no number."""
    number = (entry.label or "").removeprefix(prefix)
    return int(number) - entry.page if re.fullmatch(r"\d{1,18}", number) else None


def with_confirmed_labels(
    document: ConversionResult, citation: CitationMeta | None
) -> ConversionResult:
    """The document with labels of ``confirm_labels``; itself if none is new.

    ``document`` is the stored conversion: derived labels are never stored with it, so that they
    depend on the current item only.
    """
    entries = confirm_labels(document.structure.page_map, citation.page if citation else None)
    if entries == document.structure.page_map:
        return document
    structure = document.structure.model_copy(update={"page_map": entries})
    return document.model_copy(update={"structure": structure})


def relabelled(chunk: Chunk, labels: Mapping[int, str | None]) -> Chunk:
    """The chunk with the labels of its pages; itself if unchanged."""
    page_labels = labels_of(chunk.page_span, labels)
    return (
        chunk
        if page_labels == chunk.page_labels
        else chunk.model_copy(update={"page_labels": page_labels})
    )
