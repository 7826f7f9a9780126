"""What packages outside the core add: the entry-point group ``citeloom.plugins``.

An entry point names a subclass of ``Plugin``. A part is imported when it is asked for, so its
module should import little at its top. docs/plugins.md has an example.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from citeloom.application.ports.maps import Mapper

GROUP: Final = "citeloom.plugins"


class CommandEntry(NamedTuple):
    """A command in the help: ``place`` is its module and what it is called there
    (``package.module:name``), a function or a ``typer.Typer``; ``sentence`` fits a line of 80
    columns."""

    place: str
    sentence: str


class ReferenceFileFormat(NamedTuple):
    """A format of reference files that the core does not read; ``name`` is for people.

    ``recognises`` gets the text of a file; ``read`` the same with lines that end in a line feed. It
    returns the works as CSL-JSON items, with the citation key as ``id``, and raises ValueError with
    the reason if the file is damaged."""

    name: str
    recognises: Callable[[str], bool]
    read: Callable[[str], Sequence[Mapping[str, Any]]]


class Plugin:
    """Adds nothing; a plugin overrides what it adds."""

    def commands(self) -> "Mapping[str, Mapping[str, CommandEntry]]":
        """Commands by section of the help and name."""
        return {}

    def mappers(self) -> "Sequence[Callable[[], Mapper]]":
        """Mappers of files, tried before those of the core."""
        return ()

    def reference_formats(self) -> Sequence[ReferenceFileFormat]:
        """Formats of reference files, tried in their order after those of the core."""
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
