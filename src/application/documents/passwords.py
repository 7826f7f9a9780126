"""Passwords of files, by file name or pattern."""

from collections.abc import Mapping
from fnmatch import fnmatchcase


def password_for(name: str, passwords: Mapping[str, str], general: str | None) -> str | None:
    """The password of this file name, else of the first matching pattern, else ``general``."""
    if name in passwords:
        return passwords[name]
    fitting = (word for pattern, word in passwords.items() if fnmatchcase(name, pattern))
    return next(fitting, general)
