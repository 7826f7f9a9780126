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
        "citation.cite:Citations", works="_works", styles="citation.csl.styles:CslStyles"
    )
    export: "Export" = part(
        "citation.export:Export", works="_works", writer="references.writer:FileReferenceWriter"
    )
    quotations: "ExportQuotations" = part(
        "citation.export:ExportQuotations",
        citations="cite",
        writer="research.word_document:WordQuotations",
    )

    @lazy
    def retracted(self) -> "RetractedWorks":
        from citeloom.application.citation.assignment import RetractedWorks
        from citeloom.infrastructure.references.retraction_watch import RetractionWatchReader

        path = self._stores.settings.checks.retractions
        return RetractedWorks(
            reader=RetractionWatchReader(), list_path=Path(path).expanduser() if path else None
        )

    _works: "NamedWorks" = part("citation.cite:NamedWorks")
