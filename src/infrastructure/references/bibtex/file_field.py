"""File paths in ``file`` fields of Better BibTeX, Zotero, JabRef and Mendeley."""

import re
from collections.abc import Iterator

_ESCAPED = re.compile(r"\\([\\:;_&%$#{}, ])")
_KIND = re.compile(r"[A-Za-z]+(?:/[\w.+-]+)?|")
_SHARE = re.compile(r"\\\\\w")
# Mendeley leaves out the first slash.
_ROOTLESS = re.compile(r"(?:home|Users|Volumes)/")


def paths_of(field: str) -> Iterator[str]:
    """Paths of ``title:path:type;title:path:type``, or of bare paths; URLs are skipped.

    Colons and semicolons in a path are escaped by a backslash; the colon of a Windows drive need
    not be.
    """
    field = field.replace("{\\_}", "_").replace("$\\backslash$", "\\")
    for entry in _split(field, ";"):
        if not entry.strip():
            continue
        entry = entry.strip()
        path = entry if _SHARE.match(entry) else _ESCAPED.sub(r"\1", _path(entry)).strip()
        if path and ("://" not in path or path.lower().startswith("file:")):
            yield "/" + path if _ROOTLESS.match(path) else path


def _path(entry: str) -> str:
    if entry.lower().startswith("file:") or re.match(r"[A-Za-z]:[\\/]", entry):
        return entry
    parts = _split(entry, ":")
    if len(parts) == 1 or "://" in entry:
        return entry
    if len(parts) == 2:
        title_first = not _KIND.fullmatch(parts[1])
        return parts[1] if title_first else parts[0]
    *path, kind = parts[1:]
    return ":".join(path if _KIND.fullmatch(kind.strip()) else (*path, kind))


def _split(text: str, sign: str) -> list[str]:
    """The parts of ``text`` between unescaped signs."""
    parts, start, index = [], 0, 0
    while index < len(text):
        if text[index] == "\\":
            index += 2
            continue
        if text[index] == sign:
            parts.append(text[start:index])
            start = index + 1
        index += 1
    return [*parts, text[start:]]
