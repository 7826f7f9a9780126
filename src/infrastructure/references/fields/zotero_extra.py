"""CSL variables in Zotero's Extra field: lines ``name: value`` (Zotero, Better BibTeX)."""

import re
from typing import Any

from citeloom.infrastructure.references.fields.dates import csl_date

# CSL 1.0.2, appendix IV, without those that Zotero has fields for in most types.
_DATES = frozenset({"issued", "original-date", "event-date", "submitted", "available-date"})
_TEXTS = frozenset(
    """
        archive-place archive_collection authority chapter-number citation-number collection-number
        container-title dimensions division event-place event-title genre medium
        number-of-volumes original-publisher original-publisher-place original-title part-number
        part-title PMCID PMID publisher-place references reviewed-genre reviewed-title scale
        source status title-short version volume-title DOI
    """.split()
)
_NAMES = {name.lower(): name for name in (*_DATES, *_TEXTS)}
_LINE = re.compile(r"^[ \t]*(?:\{:)?([A-Za-z][A-Za-z _-]{2,30})[ \t]*:[ \t]*(\S.*?)\}?[ \t]*$",
                   re.MULTILINE)  # fmt: skip


def extra_variables(extra: Any) -> dict[str, Any]:
    """The CSL variables of an Extra field (``Original Date: 1900``, ``{:original-date: 1900}``);
    the first line of a name counts."""
    if not isinstance(extra, str) or ":" not in extra:
        return {}
    variables: dict[str, Any] = {}
    for label, value in _LINE.findall(extra):
        name = _NAMES.get(re.sub(r"[ _]", "-", label.strip().lower()))
        if name and name not in variables:
            variables[name] = csl_date(value) if name in _DATES else value
    return variables
