"""The composition root of what goes into manuscripts: citations, bibliographies, exports."""

from typing import TYPE_CHECKING

from citeloom.infrastructure.resources import Resources
from citeloom.infrastructure.wiring import Wired

if TYPE_CHECKING:
    from pathlib import Path

    from citeloom.application.citations import Citations
    from citeloom.application.exporting import Export


class Citable(Resources):
    """The verbs *cite* and *export*, wired."""

    @Wired
    def citations(self) -> "Citations":
        from citeloom.application.citations import Citations
        from citeloom.infrastructure.citing.styles import CslStyles
        from citeloom.infrastructure.references.file import FileReferenceReader

        return Citations(
            catalogue=self.catalogue, references=FileReferenceReader(), styles=CslStyles()
        )

    @Wired
    def export(self) -> "Export":
        from citeloom.application.exporting import Export
        from citeloom.infrastructure.references.writing import FileReferenceWriter

        return Export(catalogue=self.catalogue, writer=FileReferenceWriter())

    def save(self, path: "Path", text: str) -> None:
        """Write a file whole or not at all. Raises StorageFailed."""
        from citeloom.infrastructure.storage.atomic import write_atomic

        write_atomic(path, text.encode("utf-8"))
