"""Writer of references in BibTeX, BibLaTeX, RIS and CSL-JSON (port ``ReferenceWriter``)."""

import json
from collections.abc import Sequence
from typing import Any

from citeloom.application.ports.citation import ReferenceFormat
from citeloom.domain.citation.metadata import CitationMeta, csl_item
from citeloom.domain.text.phrasing import is_active_link

from .bibtex.writer import write_bibtex
from .formats.ris import write_ris


def write_references(works: Sequence[CitationMeta], format: ReferenceFormat) -> str:
    """See the port ``ReferenceWriter``."""
    if format is ReferenceFormat.RIS:
        return write_ris(works)
    if format is ReferenceFormat.CSL_JSON:
        items = [_tagged(work) for work in works]
        return json.dumps(items, ensure_ascii=False, indent=2) + "\n"
    return write_bibtex(works, biblatex=format is ReferenceFormat.BIBLATEX)


def _tagged(work: CitationMeta) -> dict[str, Any]:
    """The item, with the tags of the library as CSL's ``keyword``, without a link that runs
    something."""
    item = csl_item(work)
    if is_active_link(str(item.get("URL") or "")):
        del item["URL"]
    if work.tags and not any(item.get(name) for name in ("keyword", "tags")):
        # A final semicolon marks the comma of a single tag as part of it.
        item["keyword"] = "; ".join(work.tags) + (";" if len(work.tags) == 1 else "")
    return item
