"""Names within knowledge URIs: realms, and the parts of a path."""

import re
import unicodedata
from urllib.parse import unquote

MAX_NAME = 512
"""Characters of a part of a path."""

REALM = re.compile(r"[a-z][a-z0-9]+(?:-[a-z0-9]+)*")
_NAME = re.compile(r"[A-Za-z0-9._-]+")
_OTHER = re.compile(r"[^A-Za-z0-9.-]+")


def check_realm(realm: str) -> str:
    """``realm`` itself; raises ValueError where it is none."""
    if not REALM.fullmatch(realm) or len(realm) > MAX_NAME:
        raise ValueError(f"the realm {realm!r} is not two or more of a-z, 0-9 and single hyphens")
    return realm


def check_name(name: str) -> str:
    """``name`` itself; raises ValueError for what is no part of a path.

    ASCII letters, digits, ``. _ -``; only ``-`` may consist of punctuation alone.
    """
    if not name:
        raise ValueError("a part between slashes is empty")
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} holds more than ASCII letters, digits, '.', '_' and '-'")
    if name != "-" and not any(c.isalnum() for c in name):
        raise ValueError(f"{name!r} has no letter and no digit")
    if len(name) > MAX_NAME:
        raise ValueError(f"a name has at most {MAX_NAME} characters")
    return name


def normalize_name(text: str) -> str:
    """A part of a path that reads like ``text``: percent-decoded, accents dropped, and ``_``
    for each run of anything that a name cannot hold.

    Raises ValueError where no letter and no digit is left.
    """
    plain = unicodedata.normalize("NFKD", unquote(text))
    bare = "".join(c for c in plain if not unicodedata.combining(c))
    return check_name(_OTHER.sub("_", bare))
