"""The verbs *cite* and *export*."""

from pathlib import Path
from typing import TYPE_CHECKING

from .workspace import Stores, lazy, part

if TYPE_CHECKING:
    from citeloom.application.citation.assignment import RetractedWorks
    from citeloom.application.citation.cite import Citations, NamedWorks
    from citeloom.application.citation.export import Export, ExportQuotations


class CitationVerbs:
    """Citations, bibliographies and exports of references."""

    def __init__(self, stores: Stores) -> None:
        self._stores = stores

    cite: "Citations" = part(
        "citation.cite:Citations", works="_works", styles="citation.csl.styles:csl_style"
    )
    export: "Export" = part(
        "citation.export:Export", works="_works", writer="references.writer:write_references"
    )
    quotations: "ExportQuotations" = part(
        "citation.export:ExportQuotations",
        citations="cite",
        writer="research.word_document:word_quotations",
    )

    @lazy
    def retracted(self) -> "RetractedWorks":
        from citeloom.application.citation.assignment import RetractedWorks
        from citeloom.infrastructure.references.retraction_watch import find_retractions

        path = self._stores.settings.checks.retractions
        return RetractedWorks(
            reader=find_retractions, list_path=Path(path).expanduser() if path else None
        )

    _works: "NamedWorks" = part("citation.cite:NamedWorks")
