"""Reference files: CSL-JSON, and Better BibTeX's JSON export."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from citeloom.application.ports.references import ReferenceLibrary
from citeloom.domain.errors import ReferencesUnreadable
from citeloom.infrastructure.references.collecting import collect
from citeloom.infrastructure.references.kinds import decoded, other_kind
from citeloom.infrastructure.references.text import without_surrogates

_AGAIN = "export it again from Zotero (Better CSL JSON)"
_READ = (
    "this version reads CSL-JSON and Better BibTeX JSON; "
    "in Zotero choose Export Library, Better CSL JSON"
)


class FileReferenceReader:
    """Reads a reference file, whose kind is told by its content.

    Takes CSL-JSON (a list, ``{"items": […]}``, or a single item), as Zotero, Better BibTeX
    and others write it, and Better BibTeX's JSON export with collections and files.
    """

    def __init__(self, max_bytes: int = 256 * 1024 * 1024) -> None:
        """``max_bytes``: larger files are refused, unread (256 MiB hold some 200,000 items)."""
        self._max_bytes = max_bytes

    def read(self, path: Path) -> ReferenceLibrary:
        content = self._bytes(path)
        items, collections, warnings = _items(_parsed(content, path), path)
        library = collect(items, collections, folder=path.parent)
        return ReferenceLibrary(
            source=str(path),
            fingerprint=hashlib.sha256(content).hexdigest(),
            items=library.items,
            attachments=library.attachments,
            warnings=(*warnings, *library.warnings),
        )

    def _bytes(self, path: Path) -> bytes:
        try:
            if path.is_dir():
                raise _unreadable(path, "a folder, not a file", "name the reference file itself")
            size = path.stat().st_size
            if size > self._max_bytes:
                raise _unreadable(
                    path,
                    f"{size / 2**20:,.1f} MiB, more than the {self._max_bytes / 2**20:,.0f} MiB "
                    "a reference file may have",
                    "export the collections that this project needs",
                )
            content = path.read_bytes()
        except FileNotFoundError:
            raise _unreadable(path, "no such file", "check the path") from None
        except OSError as error:
            reason = error.strerror or str(error)
            raise _unreadable(path, f"cannot be read ({reason})", "check its permissions") from None
        if not content.strip(b" \t\r\n\0"):
            raise _unreadable(path, "the file is empty", _AGAIN)
        return content


def _unreadable(path: Path, reason: str, next_step: str, **details: Any) -> ReferencesUnreadable:
    return ReferencesUnreadable(
        f"{path.name}: {reason}; {next_step}", path=str(path), reason=reason, **details
    )


def _parsed(content: bytes, path: Path) -> Any:
    if kind := other_kind(content):
        raise _unreadable(path, f"this is {kind}, not JSON", _READ)
    try:
        text = decoded(content)
    except UnicodeDecodeError as error:
        raise _unreadable(
            path,
            f"not {error.encoding.upper()} text at byte {error.start} ({_byte(content, error)})",
            f"save it as UTF-8, or {_AGAIN}",
            byte_offset=error.start,
        ) from None
    if kind := other_kind(text.encode("utf-8", "surrogatepass")):
        raise _unreadable(path, f"this is {kind}, not JSON", _READ)
    try:
        # NaN and Infinity are no JSON: a field that holds one is as good as absent.
        parsed = json.loads(text, parse_constant=lambda _: None)
    except json.JSONDecodeError as error:
        raise _unreadable(
            path,
            f"not valid JSON at line {error.lineno}, column {error.colno}: {error.msg}",
            _AGAIN,
            line=error.lineno,
            column=error.colno,
        ) from None
    except (RecursionError, ValueError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise _unreadable(path, f"not usable JSON: {reason}", _AGAIN) from None
    return without_surrogates(parsed) if "\\ud" in text.lower() else parsed


def _byte(content: bytes, error: UnicodeDecodeError) -> str:
    return f"0x{content[error.start]:02x}" if error.start < len(content) else "end of file"


def _items(parsed: Any, path: Path) -> tuple[list[Any], Any, tuple[str, ...]]:
    """The items of a parsed file, its collections, and what is odd about it."""
    collections: Any = None
    if isinstance(parsed, Mapping) and isinstance(parsed.get("items"), list):
        items, collections = parsed["items"], parsed.get("collections")
    elif isinstance(parsed, Mapping) and isinstance(parsed.get("items"), Mapping):
        items = list(parsed["items"].values())
    elif isinstance(parsed, Mapping) and {"title", "type", "itemType"} & parsed.keys():
        items = [parsed]
    elif isinstance(parsed, list):
        items = parsed
    else:
        found = "an object without items" if isinstance(parsed, Mapping) else "a single value"
        raise _unreadable(path, f"valid JSON, but {found}: no reference library", _READ)
    if items and not any(isinstance(item, Mapping) for item in items):
        raise _unreadable(path, "valid JSON, but a list without a single item", _READ)
    return items, collections, () if items else (f"{path.name}: holds no items",)
