"""Which password goes to which file."""

from collections.abc import Mapping
from fnmatch import fnmatchcase


def password_for(name: str, passwords: Mapping[str, str], general: str | None) -> str | None:
    """The one for this file name, else for the first pattern that fits, else the general one."""
    if name in passwords:
        return passwords[name]
    fitting = (word for pattern, word in passwords.items() if fnmatchcase(name, pattern))
    return next(fitting, general)
