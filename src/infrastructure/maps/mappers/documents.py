"""Document mapper: headings and pages of converted documents (PDF, Word, EPUB, …)."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from citeloom.application.documents.conversions import convert_single_file
from citeloom.application.documents.stores import password_for
from citeloom.application.ports.ingest import Converter
from citeloom.application.ports.maps import SourceFile
from citeloom.domain.maps.document_map import map_document
from citeloom.domain.maps.resource_map import ResourceMap

_NAME = "document 1"


class DocumentMapper:
    """Maps every format of ``converter``. ``passwords`` are by file name or pattern."""

    def __init__(self, converter: Converter, passwords: Mapping[str, str]) -> None:
        self._converter = converter
        self._passwords = passwords

    def supports(self, path: Path) -> bool:
        return self._converter.supports(path)

    def fingerprint(self, _path: Path) -> str:
        return f"{_NAME} {self._converter.fingerprint}"

    def map(self, source: SourceFile, created_at: datetime) -> ResourceMap:
        password = password_for(source.path.name, self._passwords, source.password)
        converted = convert_single_file(self._converter, source.path, source.sha256, password)
        document_map = map_document(
            converted,
            source_path=str(source.path),
            source_size=source.size,
            created_at=created_at,
        )
        metadata = {**(document_map.metadata or {}), "mapper": self.fingerprint(source.path)}
        return document_map.model_copy(update={"metadata": metadata})
