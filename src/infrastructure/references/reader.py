"""Reader of reference files, whose format is detected from their content."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from citeloom.application.ports.citation import ReferenceLibrary
from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.errors import ReferencesUnreadable
from citeloom.infrastructure.system.files import ordinary_file

from .citation_keys import collect
from .file_formats import FORMATS, decoded, detect_format, read_suffixes, unsupported_format
from .formats.csl import meta_from_csl
from .formats.source_item import EXPORT_AGAIN, NoReferences, UnreadableFile

_SUPPORTED = (
    f"{', '.join(name for one in FORMATS for name in one.names)} and Better BibTeX JSON are read; "
    "in Zotero choose Export Library, Better CSL JSON or Better BibLaTeX"
)


class FileReferenceReader:
    """Reads reference files in all formats of ``file_formats``."""

    def __init__(self, max_bytes: int = 256 * 1024 * 1024) -> None:
        """Files over ``max_bytes`` are refused unread (256 MiB have some 200,000 items); in formats
        that take longer to parse, so are smaller ones."""
        self._max_bytes = max_bytes

    @property
    def suffixes(self) -> frozenset[str]:
        return read_suffixes()

    def read(self, path: Path) -> ReferenceLibrary:
        content = self._bytes(path)
        text = _text(content, path)
        found = detect_format(text)
        if found is None and (kind := unsupported_format(text)):
            raise _unreadable(path, f"this is {kind}, which is not supported", _SUPPORTED)
        if found is None:
            raise _unreadable(path, "an unknown kind of reference file", _SUPPORTED)
        if found.max_mib:
            self._check_size(path, len(content), found.max_mib * 2**20)
        try:
            parsed = found.read(_plain(text) if found.plain else text)
        except UnreadableFile as error:
            step = _SUPPORTED if isinstance(error, NoReferences) else error.step
            place = {"line": error.line, "column": error.column} if error.line else {}
            raise _unreadable(path, error.reason, step, **place) from None
        except ValueError as error:
            reason = f"not usable {found.names[0]}: {error}"
            raise _unreadable(path, reason, f"correct it, or {EXPORT_AGAIN}") from error
        library = collect(parsed.items, parsed.collections, folder=path.parent)
        empty_warning = () if parsed.items else (f"{path.name}: holds no items",)
        return ReferenceLibrary(
            source=str(path),
            fingerprint=hashlib.sha256(content).hexdigest(),
            items=library.items,
            attachments=library.attachments,
            warnings=(*empty_warning, *parsed.warnings, *library.warnings),
        )

    def item(self, item: Mapping[str, Any], citekey: str) -> CitationMeta:
        return meta_from_csl(item, citekey)

    def _bytes(self, path: Path) -> bytes:
        try:
            if path.is_dir():
                raise _unreadable(path, "a folder, not a file", "name the reference file itself")
            self._check_size(path, path.stat().st_size, self._max_bytes)
            with ordinary_file(path) as file:
                content = file.read()
        except FileNotFoundError:
            raise _unreadable(path, "no such file", "check the path") from None
        except OSError as error:
            reason = error.strerror or str(error)
            raise _unreadable(path, f"cannot be read ({reason})", "check its permissions") from None
        if not content.strip(b" \t\r\n\0"):
            raise _unreadable(path, "the file is empty", EXPORT_AGAIN)
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
        raise _unreadable(path, f"this is {kind}, not a reference file", _SUPPORTED)
    try:
        text = decoded(content)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise _unreadable(
            path,
            f"not {error.encoding.upper()} text at byte {error.start}, line {line} "
            f"({_byte(content, error)})",
            f"save it as UTF-8, or {EXPORT_AGAIN}",
            byte_offset=error.start,
            line=line,
        ) from None
    return text


def _byte(content: bytes, error: UnicodeDecodeError) -> str:
    return f"0x{content[error.start]:02x}" if error.start < len(content) else "end of file"


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", " ")
