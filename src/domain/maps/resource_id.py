"""Validation of resource ids, which become relative file names."""

import re
import unicodedata

_DRIVE = re.compile(r"[A-Za-z]:(?:/|$)")
_NOT_IN_FILE_NAMES = '#?\\*<>|"'


def check_resource_id(resource_id: str) -> str:
    """``resource_id`` itself. Raises ValueError if it is empty, an absolute path, leaves its
    folder, or has characters that are not printable or not allowed in file names."""
    if not resource_id or resource_id != resource_id.strip():
        raise ValueError("a resource id is not empty and has no white space around it")
    if not printable(resource_id):
        raise ValueError(f"the resource id {resource_id!r} holds a control character")
    if found := next((c for c in _NOT_IN_FILE_NAMES if c in resource_id), None):
        raise ValueError(f"the resource id {resource_id!r} holds {found!r}")
    if resource_id.startswith("/") or _DRIVE.match(resource_id):
        raise ValueError(f"the resource id {resource_id!r} is an absolute path")
    if any(part in ("", ".", "..") for part in resource_id.split("/")):
        raise ValueError(f"the resource id {resource_id!r} has a part that is empty, '.' or '..'")
    return resource_id


def printable(text: str) -> bool:
    """Whether ``text`` has no control, format, private or unassigned characters, and no
    line or paragraph separators."""
    if text.isprintable():  # stricter, and much faster
        return True
    return not any(unicodedata.category(c)[0] == "C" or c in "\u2028\u2029" for c in text)
