"""Operators' view of a running server: checks of its dependencies, and its size."""

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from citeloom.domain.projects.project import ProjectId
from citeloom.infrastructure.composition.workspace import Stores, lazy
from citeloom.infrastructure.plugins import Connections, of_scheme

if TYPE_CHECKING:
    from citeloom.application.ports.catalogue import CatalogueAmounts
    from citeloom_server.application.audit.ports import AuditTrail
    from citeloom_server.application.audit.recorder import AuditRecorder

# The catalogue is read for a project that need not be there.
_NOBODYS: Final = ProjectId(value="health/check")

Check = Callable[[], None]
"""Returns where all is well. Raises CiteLoomError or OSError."""


class OperationVerbs:
    """For servers; used by several threads."""

    def __init__(self, stores: Stores) -> None:
        self.stores = stores

    @lazy
    def checks(self) -> Mapping[str, Check]:
        """Checks of the catalogue, the storage and the index servers, if any."""
        return {"catalogue": self._catalogue, "storage": self._storage, "index": self._index}

    @lazy
    def recorder(self) -> "AuditRecorder":
        """Writes the audit trail."""
        from citeloom_server.application.audit.recorder import AuditRecorder

        stores = self.stores
        return AuditRecorder(self.audit_trail, stores.clock, days=stores.settings.audit.days)

    @property
    def audit_trail(self) -> "AuditTrail":
        from .audit_trail import SqlAuditTrail

        return self.stores.other("audit", SqlAuditTrail)

    def amounts(self) -> "CatalogueAmounts":
        """Raises StorageFailed."""
        return self.stores.catalogue.amounts()

    def connections(self) -> "Connections | None":
        """The connections to the catalogue's server; None where the catalogue is a file."""
        if not self.stores.catalogue_is_on_server:
            return None
        url = self.stores.catalogue_url
        return of_scheme(lambda plugin: plugin.databases(), url, "catalogue.url").connections(url)

    def _catalogue(self) -> None:
        self.stores.catalogue.amounts(_NOBODYS)

    def _storage(self) -> None:
        """A file is written; an object store is asked for one that it need not have."""
        place = self.stores.storage_place
        if isinstance(place, Path):
            place.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=place) as file:
                file.write(b"written")
                file.flush()
        else:
            place.stamp("health")

    def _index(self) -> None:
        """The index server of the settings, else those of the projects."""
        if self.stores.overrides.server_index:
            return
        options = self.stores.settings.index
        places = (project.retrieval.place for project in self.stores.catalogue.projects())
        named = {place.url for place in places if place}
        for url in {options.url} if options.url else named:
            of_scheme(lambda plugin: plugin.index_engines(), url, "index.url").check(url, options)
