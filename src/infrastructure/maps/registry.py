"""Registry of all mappers, that of documents, and maps that are files of their own."""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from citeloom.application.documents.conversions import convert_single_file
from citeloom.application.documents.stores import password_for
from citeloom.application.ports.ingest import Converter
from citeloom.application.ports.maps import Mapper, SourceFile, TextReader
from citeloom.domain.errors import InvalidMap, InvalidRequest
from citeloom.domain.maps.document_map import map_document
from citeloom.domain.maps.resource_map import MAX_BYTES, ResourceMap, parse_map
from citeloom.infrastructure.plugins import plugins

from .mappers.images import ImageMapper
from .mappers.text import MarkdownMapper, TextMapper

_DOCUMENTS = "document 1"


class DocumentMapper:
    """Headings and pages of converted documents (PDF, Word, EPUB, …), in every format of
    ``converter``. ``passwords`` are by file name or pattern."""

    def __init__(self, converter: Converter, passwords: Mapping[str, str]) -> None:
        self._converter = converter
        self._passwords = passwords

    def supports(self, path: Path) -> bool:
        return self._converter.supports(path)

    def fingerprint(self, _path: Path) -> str:
        return f"{_DOCUMENTS} {self._converter.fingerprint}"

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


def generic_map(source: SourceFile, created_at: datetime) -> ResourceMap:
    """A map in CiteKit's JSON, validated. ``title`` and ``source_path`` may be missing: they
    are then the resource id and the file itself."""
    return validated(read_json(source.path), source, created_at)


def validated(document: object, source: SourceFile, created_at: datetime) -> ResourceMap:
    """``document`` as a map; a relative ``source_path`` is one from the folder of ``source``.
    Raises InvalidMap, naming the field."""
    if not isinstance(document, Mapping):
        raise InvalidMap(f"{source.path.name}: not a JSON object, so not a resource map")
    given = str(document.get("source_path") or source.path)
    absolute = given if "://" in given else str(source.path.parent / given)
    try:
        return parse_map(
            {
                "title": document.get("resource_id"),
                "created_at": created_at,
                **document,
                "source_path": absolute,
            }
        )
    except InvalidMap as error:
        raise InvalidMap(f"{source.path.name}: {error.message}", **error.details) from error


def read_json(path: Path) -> object:
    """JSON, or JSON Lines. Raises InvalidRequest."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ValueError(f"larger than {MAX_BYTES // 2**20} MiB")
        text = path.read_text("utf-8-sig")
        try:
            return json.loads(text)
        except ValueError:
            if path.suffix.lower() not in (".jsonl", ".ndjson"):
                raise
            return [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError) as error:
        raise InvalidRequest(f"{path.name}: not readable as JSON ({error})") from error


def all_mappers(
    converter: Converter, passwords: Mapping[str, str], reader: Callable[[], TextReader | None]
) -> Sequence[Mapper]:
    """Mappers of text by lines come first, then those of plugins; ``DocumentMapper`` takes the
    remaining formats."""
    return (
        MarkdownMapper(),
        TextMapper(),
        *(make() for plugin in plugins() for make in plugin.mappers()),
        ImageMapper(reader),
        DocumentMapper(converter, passwords),
    )
