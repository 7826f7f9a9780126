"""The composition root of reference libraries: which source is asked, and what looks at it."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.domain.errors import ConfigurationError
from citeloom.infrastructure.resources import Resources
from citeloom.infrastructure.wiring import Wired

if TYPE_CHECKING:
    from citeloom.application.library_look import LibraryLook
    from citeloom.application.ports.library import LibrarySource
    from citeloom.infrastructure.config import ZoteroSettings


class Libraries(Resources):
    """The reader's own library, as ``[zotero]`` of the settings has it."""

    @Wired
    def library(self) -> "LibrarySource":
        """Raises LibraryUnavailable if there is none."""
        return library_source(self.settings.zotero)

    @Wired
    def library_look(self) -> "LibraryLook":
        from citeloom.application.library_look import LibraryLook

        return LibraryLook(self.library)

    def close(self) -> None:
        super().close()
        if "library" in self.made:
            self.made["library"].close()


def library_source(wanted: "ZoteroSettings") -> "LibrarySource":
    """The source that ``wanted`` names. Raises LibraryUnavailable, ConfigurationError."""
    if wanted.source == "database":
        return _database(wanted)
    raise ConfigurationError(f"zotero.source {wanted.source}: not known; there is database")


def _database(wanted: "ZoteroSettings") -> "LibrarySource":
    from citeloom.infrastructure.references.zotero_database import ZoteroDatabase
    from citeloom.infrastructure.references.zotero_places import find_zotero

    place = find_zotero(wanted.data_dir)
    if wanted.linked_files:
        base = Path(wanted.linked_files).expanduser()
        place = replace(place, files=replace(place.files, linked_base=base))
    return ZoteroDatabase(place)
