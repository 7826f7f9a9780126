"""The composition root of what goes into manuscripts: citations, bibliographies, exports."""

import os
from typing import TYPE_CHECKING

from citeloom.infrastructure.composition.resources import Resources
from citeloom.infrastructure.composition.wiring import Wired

if TYPE_CHECKING:
    from pathlib import Path

    from citeloom.application.citation.cite import Citations
    from citeloom.application.citation.export import Export


class Citable(Resources):
    """The verbs *cite* and *export*, wired."""

    @Wired
    def citations(self) -> "Citations":
        from citeloom.application.citation.cite import Citations
        from citeloom.infrastructure.citation.csl.styles import CslStyles
        from citeloom.infrastructure.references.reader import FileReferenceReader

        return Citations(
            catalogue=self.catalogue, references=FileReferenceReader(), styles=CslStyles()
        )

    @Wired
    def export(self) -> "Export":
        from citeloom.application.citation.export import Export
        from citeloom.infrastructure.references.writer import FileReferenceWriter

        return Export(catalogue=self.catalogue, writer=FileReferenceWriter())

    def save(self, path: "Path", content: "str | bytes", *, replace: bool = True) -> None:
        """Write a file whole or not at all. Raises StorageFailed, and InvalidRequest where there
        is something already that is not to be replaced (or is no file)."""
        from citeloom.domain.errors import InvalidRequest
        from citeloom.infrastructure.system.atomic_files import write_atomic

        if path.exists() and not path.is_file():
            raise InvalidRequest(f"{path}: is no file; name another", parameter="output")
        if not replace and os.path.lexists(path):
            raise InvalidRequest(f"{path}: exists; --force replaces it", parameter="output")
        write_atomic(path, content.encode("utf-8") if isinstance(content, str) else content)
