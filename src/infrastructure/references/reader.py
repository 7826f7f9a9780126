"""Reader of reference files, whose format is detected from their content."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from citeloom.application.ports.citation import ReferenceLibrary
from citeloom.domain.errors import ReferencesUnreadable
from citeloom.infrastructure.plugins import plugins
from citeloom.infrastructure.references.citation_keys import collect
from citeloom.infrastructure.references.format_detection import (
    ReferenceFileKind,
    decoded,
    detect_format,
    unsupported_format,
)
from citeloom.infrastructure.references.formats.csl_json import (
    CslLibrary,
    items_of,
    read_json,
)
from citeloom.infrastructure.references.formats.source_item import UnreadableFile

_EXPORT_AGAIN = "export it again from Zotero (Better CSL JSON)"
_SUPPORTED = (
    "CSL-JSON, CSL-YAML, BibTeX, BibLaTeX, RIS, MEDLINE and Better BibTeX JSON are read; "
    "in Zotero choose Export Library, Better CSL JSON or Better BibLaTeX"
)
_UNKNOWN = "no kind of reference file that is known"
_MAX_MIB = {
    ReferenceFileKind.BIB: 64,
    ReferenceFileKind.RIS: 64,
    ReferenceFileKind.MEDLINE: 64,
    ReferenceFileKind.YAML: 16,
}  # MiB


class _Parsed(NamedTuple):
    items: list[Any]
    collections: Any = None
    warnings: tuple[str, ...] = ()


class FileReferenceReader:
    """Reads reference files in all supported formats.

    CSL-JSON and CSL-YAML (a list, ``items`` or ``references`` with one, a single item), BibTeX and
    BibLaTeX, RIS, PubMed's MEDLINE, as Zotero, Better BibTeX, JabRef, EndNote and others write
    them, and Better BibTeX's JSON export with collections and files.
    """

    def __init__(self, max_bytes: int = 256 * 1024 * 1024) -> None:
        """Files over ``max_bytes`` are refused unread (256 MiB have some 200,000 items); in formats
        that take longer to parse, so are files over 64 MiB (YAML: 16 MiB)."""
        self._max_bytes = max_bytes

    def read(self, path: Path) -> ReferenceLibrary:
        content = self._bytes(path)
        parsed = self._parsed(content, path)
        library = collect(parsed.items, parsed.collections, folder=path.parent)
        empty_warning = () if parsed.items else (f"{path.name}: holds no items",)
        return ReferenceLibrary(
            source=str(path),
            fingerprint=hashlib.sha256(content).hexdigest(),
            items=library.items,
            attachments=library.attachments,
            warnings=(*empty_warning, *parsed.warnings, *library.warnings),
        )

    def _parsed(self, content: bytes, path: Path) -> _Parsed:
        text = _text(content, path)
        foreign = unsupported_format(text)
        if not foreign and (kind := detect_format(text)):
            if kind in _MAX_MIB:
                self._check_size(path, len(content), _MAX_MIB[kind] * 2**20)
            return _parse(kind, text, path)
        if (parsed := _from_plugin(text, path)) is not None:
            return parsed
        reason = f"this is {foreign}, no kind that is read" if foreign else _UNKNOWN
        raise _unreadable(path, reason, _SUPPORTED)

    def _bytes(self, path: Path) -> bytes:
        try:
            if path.is_dir():
                raise _unreadable(path, "a folder, not a file", "name the reference file itself")
            self._check_size(path, path.stat().st_size, self._max_bytes)
            content = path.read_bytes()
        except FileNotFoundError:
            raise _unreadable(path, "no such file", "check the path") from None
        except OSError as error:
            reason = error.strerror or str(error)
            raise _unreadable(path, f"cannot be read ({reason})", "check its permissions") from None
        if not content.strip(b" \t\r\n\0"):
            raise _unreadable(path, "the file is empty", _EXPORT_AGAIN)
        return content

    def _check_size(self, path: Path, size: int, limit: int) -> None:
        if size > limit:
            raise _unreadable(
                path,
                f"{size / 2**20:,.1f} MiB, more than the {limit / 2**20:,.0f} MiB "
                "a reference file may have",
                "export the collections that this project needs",
            )


def _unreadable(path: Path, reason: str, next_step: str, **details: Any) -> ReferencesUnreadable:
    return ReferencesUnreadable(
        f"{path.name}: {reason}; {next_step}", path=str(path), reason=reason, **details
    )


def _text(content: bytes, path: Path) -> str:
    if kind := unsupported_format(content):
        raise _unreadable(path, f"this is {kind}, no reference file", _SUPPORTED)
    try:
        return decoded(content)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise _unreadable(
            path,
            f"not {error.encoding.upper()} text at byte {error.start}, line {line} "
            f"({_byte(content, error)})",
            f"save it as UTF-8, or {_EXPORT_AGAIN}",
            byte_offset=error.start,
            line=line,
        ) from None


def _byte(content: bytes, error: UnicodeDecodeError) -> str:
    return f"0x{content[error.start]:02x}" if error.start < len(content) else "end of file"


def _parse(kind: ReferenceFileKind, text: str, path: Path) -> _Parsed:
    """The items of the file; a parser is imported when needed."""
    lines = _lines(text)
    match kind:
        case ReferenceFileKind.JSON:
            return _from_json(text, path)
        case ReferenceFileKind.YAML:
            return _from_yaml(text, path)
        case ReferenceFileKind.BIB:
            from citeloom.infrastructure.references.bibtex.reader import read_bib

            items, warnings = read_bib(lines)
            return _Parsed(list(items), warnings=warnings)
        case ReferenceFileKind.RIS:
            from citeloom.infrastructure.references.formats.ris import read_ris

            return _Parsed(list(read_ris(lines)))
        case ReferenceFileKind.MEDLINE:
            from citeloom.infrastructure.references.formats.medline import read_medline

            return _Parsed(list(read_medline(lines)))


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", " ")


def _from_plugin(text: str, path: Path) -> _Parsed | None:
    """None if no plugin recognises the text."""
    for form in (form for plugin in plugins() for form in plugin.reference_formats()):
        if form.recognises(text):
            try:
                return _Parsed([dict(item) for item in form.read(_lines(text))])
            except ValueError as error:
                reason = f"not usable {form.name}: {error}"
                raise _unreadable(path, reason, f"correct it, or {_EXPORT_AGAIN}") from error
    return None


def _from_json(text: str, path: Path) -> _Parsed:
    try:
        library = _items_in(ReferenceFileKind.JSON, read_json(text), path)
    except UnreadableFile as error:
        raise _unreadable(
            path, error.reason, _EXPORT_AGAIN, **_place(error.line, error.column)
        ) from None
    return _Parsed(library.items, library.collections)


def _from_yaml(text: str, path: Path) -> _Parsed:
    from citeloom.infrastructure.references.formats.csl_yaml import (
        csl_item,
        read_yaml,
    )

    try:
        library = _items_in(ReferenceFileKind.YAML, read_yaml(text), path)
    except UnreadableFile as error:
        where = f" at line {error.line}, column {error.column}" if error.line else ""
        reason = f"not usable YAML{where}: {error.reason}"
        place = _place(error.line, error.column)
        raise _unreadable(path, reason, f"correct it, or {_EXPORT_AGAIN}", **place) from None
    return _Parsed(
        [csl_item(item) if isinstance(item, Mapping) else item for item in library.items]
    )


def _items_in(kind: ReferenceFileKind, parsed: Any, path: Path) -> CslLibrary:
    library = items_of(parsed)
    if isinstance(library, str):
        raise _unreadable(path, f"valid {kind.value}, but {library}", _SUPPORTED)
    return library


def _place(line: int, column: int) -> dict[str, int]:
    return {"line": line, "column": column} if line else {}
