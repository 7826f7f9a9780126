"""Paths in ``file`` fields, as Better BibTeX, Zotero, JabRef and Mendeley write them."""

import re
from collections.abc import Iterator

_ESCAPED = re.compile(r"\\([\\:;_&%$#{}, ])")
_KIND = re.compile(r"[A-Za-z]+(?:/[\w.+-]+)?|")
_SHARE = re.compile(r"\\\\\w")
# Mendeley leaves out the first slash.
_ROOTLESS = re.compile(r"(?:home|Users|Volumes)/")


def paths_of(field: str) -> Iterator[str]:
    """Paths of ``title:path:type;title:path:type``, or of paths alone; no addresses.

    Colons and semicolons that belong to a path stand behind a backslash, but for the colon
    of a Windows drive, which may go without.
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
    """The parts between those of ``sign`` that stand behind no backslash, or behind two."""
    parts, start, at = [], 0, 0
    while at < len(text):
        if text[at] == "\\":
            at += 2
            continue
        if text[at] == sign:
            parts.append(text[start:at])
            start = at + 1
        at += 1
    return [*parts, text[start:]]
