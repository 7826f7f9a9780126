"""What packages outside the core add: the entry-point group ``citeloom.plugins``.

An entry point names a subclass of ``Plugin``. A part is imported when it is asked for, so its
module should import little at its top. docs/plugins.md has an example.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from citeloom.application.ports.citation import ReferenceFileFormat
    from citeloom.application.ports.maps import Mapper

GROUP: Final = "citeloom.plugins"


class CommandEntry(NamedTuple):
    """A command in the help: ``place`` is its module and what it is called there
    (``package.module:name``), a function or a ``typer.Typer``; ``sentence`` fits a line of 80
    columns."""

    place: str
    sentence: str


class Plugin:
    """Adds nothing; a plugin overrides what it adds."""

    def commands(self) -> "Mapping[str, Mapping[str, CommandEntry]]":
        """Commands by section of the help and name."""
        return {}

    def mappers(self) -> "Sequence[Callable[[], Mapper]]":
        """Mappers of files, tried before those of the core."""
        return ()

    def reference_formats(self) -> "Sequence[ReferenceFileFormat]":
        """Formats of reference files, tried where a file is of none of the core's."""
        return ()


@cache
def plugins() -> tuple[Plugin, ...]:
    """Those that are installed, in order of their names; each is made once.

    Raises what importing one raises."""
    found = sorted(entry_points(group=GROUP), key=lambda point: point.name)
    return tuple(point.load()() for point in found)


def install_line(extra: str) -> str:
    """The command that installs a part of CiteLoom."""
    return f'pip install "citeloom[{extra}]"'
