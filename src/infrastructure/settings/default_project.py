"""The default project, written into the text of ``citeloom.toml``."""

import re
import tomllib
from typing import Final

from citeloom.domain.errors import ConfigurationError
from citeloom.infrastructure.settings.settings import PROJECT

_TABLE: Final = re.compile(r"[ \t]*\[")
_PROJECT: Final = re.compile(rf"[ \t]*{PROJECT}[ \t]*=")
_END_COMMENT: Final = re.compile(r"[ \t]+#[^\"']*$")


def with_default_project(text: str, project_id: str) -> str:
    """The settings with ``project = "…"``; every other line stays as it is.

    Raises ConfigurationError where the text is no TOML, or writes ``project`` in a way that is
    not understood here.
    """
    setting = f'{PROJECT} = "{project_id}"'
    try:
        settings = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"not readable as TOML ({error}); correct it") from None
    changed = _changed(text, setting)
    try:
        understood = tomllib.loads(changed) == {**settings, PROJECT: project_id}
    except ValueError:
        understood = False
    if not understood:
        raise ConfigurationError(f"write {setting} there yourself, above the first [section]")
    return changed


def _changed(text: str, setting: str) -> str:
    """The line of the setting is replaced; a new one stands above the first section and the
    comment that belongs to it."""
    lines = text.splitlines(keepends=True)
    end = "\r\n" if "\r\n" in text else "\n"
    first = next((n for n, line in enumerate(lines) if _TABLE.match(line)), len(lines))
    for number, line in enumerate(lines[:first]):
        if _PROJECT.match(line):
            comment = _END_COMMENT.search(line.rstrip("\r\n"))
            lines[number] = f"{setting}{comment.group() if comment else ''}{end}"
            return "".join(lines)
    above = first
    while 0 < above < len(lines) and lines[above - 1].lstrip().startswith("#"):
        above -= 1
    before, after = lines[:above], lines[above:]
    if before and not before[-1].endswith("\n"):
        before[-1] += end
    return "".join([*before, setting, end, *([end] if after else []), *after])
