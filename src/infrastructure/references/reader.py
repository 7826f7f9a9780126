"""Reference files of all kinds that are read, told by their content."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from citeloom.application.ports.citation import ReferenceLibrary
from citeloom.domain.errors import ReferencesUnreadable
from citeloom.infrastructure.references.citation_keys import collect
from citeloom.infrastructure.references.format_detection import (
    ReferenceFileKind,
    decoded,
    kind_of,
    other_kind,
)
from citeloom.infrastructure.references.formats.csl_json import (
    CslLibrary,
    UnreadableJson,
    held_items,
    read_json,
)

_AGAIN = "export it again from Zotero (Better CSL JSON)"
_READ = (
    "CSL-JSON, CSL-YAML, BibTeX, BibLaTeX, RIS, MEDLINE and Better BibTeX JSON are read; "
    "in Zotero choose Export Library, Better CSL JSON or Better BibLaTeX"
)
_LARGEST = {
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
    """Reads a reference file, whose kind is told by its content.

    Takes CSL-JSON and CSL-YAML (a list, ``items`` or ``references`` with one, a single item),
    BibTeX and BibLaTeX, RIS, PubMed's MEDLINE, as Zotero, Better BibTeX, JabRef, EndNote and
    others write them, and Better BibTeX's JSON export with collections and files.
    """

    def __init__(self, max_bytes: int = 256 * 1024 * 1024) -> None:
        """``max_bytes``: larger files are refused, unread (256 MiB hold some 200,000 items);
        of kinds that take longer to read, files over 64 MiB (YAML: 16 MiB) as well."""
        self._max_bytes = max_bytes

    def read(self, path: Path) -> ReferenceLibrary:
        content = self._bytes(path)
        text = _text(content, path)
        kind = kind_of(text)
        if kind is None:
            raise _unreadable(path, "no kind of reference file that is known", _READ)
        if kind in _LARGEST:
            self._check_size(path, len(content), _LARGEST[kind] * 2**20)
        parsed = _parsed(kind, text, path)
        library = collect(parsed.items, parsed.collections, folder=path.parent)
        none = () if parsed.items else (f"{path.name}: holds no items",)
        return ReferenceLibrary(
            source=str(path),
            fingerprint=hashlib.sha256(content).hexdigest(),
            items=library.items,
            attachments=library.attachments,
            warnings=(*none, *parsed.warnings, *library.warnings),
        )

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
            raise _unreadable(path, "the file is empty", _AGAIN)
        return content

    def _check_size(self, path: Path, size: int, most: int) -> None:
        if size > most:
            raise _unreadable(
                path,
                f"{size / 2**20:,.1f} MiB, more than the {most / 2**20:,.0f} MiB "
                "a reference file may have",
                "export the collections that this project needs",
            )


def _unreadable(path: Path, reason: str, next_step: str, **details: Any) -> ReferencesUnreadable:
    return ReferencesUnreadable(
        f"{path.name}: {reason}; {next_step}", path=str(path), reason=reason, **details
    )


def _text(content: bytes, path: Path) -> str:
    if kind := other_kind(content):
        raise _unreadable(path, f"this is {kind}, no reference file", _READ)
    try:
        text = decoded(content)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise _unreadable(
            path,
            f"not {error.encoding.upper()} text at byte {error.start}, line {line} "
            f"({_byte(content, error)})",
            f"save it as UTF-8, or {_AGAIN}",
            byte_offset=error.start,
            line=line,
        ) from None
    if kind := other_kind(text):
        raise _unreadable(path, f"this is {kind}, no kind that is read", _READ)
    return text


def _byte(content: bytes, error: UnicodeDecodeError) -> str:
    return f"0x{content[error.start]:02x}" if error.start < len(content) else "end of file"


def _parsed(kind: ReferenceFileKind, text: str, path: Path) -> _Parsed:
    """What is in the file; a parser is loaded when a file is of its kind."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", " ")
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


def _from_json(text: str, path: Path) -> _Parsed:
    try:
        held = _held(ReferenceFileKind.JSON, read_json(text), path)
    except UnreadableJson as error:
        raise _unreadable(path, error.reason, _AGAIN, **_place(error.line, error.column)) from None
    return _Parsed(held.items, held.collections)


def _from_yaml(text: str, path: Path) -> _Parsed:
    from citeloom.infrastructure.references.formats.csl_yaml import (
        UnreadableYaml,
        csl_item,
        read_yaml,
    )

    try:
        held = _held(ReferenceFileKind.YAML, read_yaml(text), path)
    except UnreadableYaml as error:
        where = f" at line {error.line}, column {error.column}" if error.line else ""
        reason = f"not usable YAML{where}: {error.reason}"
        place = _place(error.line, error.column)
        raise _unreadable(path, reason, f"correct it, or {_AGAIN}", **place) from None
    return _Parsed([csl_item(item) if isinstance(item, Mapping) else item for item in held.items])


def _held(kind: ReferenceFileKind, parsed: Any, path: Path) -> CslLibrary:
    held = held_items(parsed)
    if isinstance(held, str):
        raise _unreadable(path, f"valid {kind.value}, but {held}", _READ)
    return held


def _place(line: int, column: int) -> dict[str, int]:
    return {"line": line, "column": column} if line else {}
