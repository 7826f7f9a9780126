"""The verbs *cite* and *export*."""

from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.application.citation.cite import Citations, NamedWorks
from citeloom.application.citation.export import Export
from citeloom.infrastructure.citation.csl.styles import csl_style
from citeloom.infrastructure.references.writer import write_references

from .workspace import Stores, lazy, part

if TYPE_CHECKING:
    from citeloom.application.citation.assignment import RetractedWorks
    from citeloom.application.citation.export import ExportQuotations


class CitationVerbs:
    """Citations, bibliographies and exports of references."""

    def __init__(self, stores: Stores) -> None:
        self._stores = stores

    @lazy
    def cite(self) -> Citations:
        return Citations(
            works=self._works,
            bundles=self._stores.bundles,
            styles=csl_style,
        )

    @lazy
    def export(self) -> Export:
        return Export(works=self._works, writer=write_references)

    @lazy
    def quotations(self) -> "ExportQuotations":
        from citeloom.application.citation.export import ExportQuotations
        from citeloom.infrastructure.research.word_document import word_quotations

        return ExportQuotations(citations=self.cite, export=self.export, writer=word_quotations)

    @lazy
    def retracted(self) -> "RetractedWorks":
        from citeloom.application.citation.assignment import RetractedWorks
        from citeloom.infrastructure.references.retraction_watch import find_retractions

        path = self._stores.settings.checks.retractions
        return RetractedWorks(
            reader=find_retractions, list_path=Path(path).expanduser() if path else None
        )

    _works: NamedWorks = part("citation.cite:NamedWorks")
