"""In-memory adapter of port ``LibrarySource``."""

import hashlib
import json
from collections.abc import Sequence

from citeloom.application.ports.library import LibraryStatus
from citeloom.domain.library import LibraryScope
from citeloom.infrastructure.library.snapshot import RawLibrary, chosen_libraries, count
from citeloom.infrastructure.library.source import RawReading, RawSource


class InMemoryLibrarySource(RawSource):
    """Serves the given libraries by the rules of every other source."""

    name = "memory"
    place = "memory"

    def __init__(self, libraries: Sequence[RawLibrary] = ()) -> None:
        self.libraries = list(libraries)

    def status(self) -> LibraryStatus:
        return LibraryStatus(
            name=self.name,
            place=self.place,
            state=self._state(),
            libraries=tuple(raw.library for raw in self.libraries),
            **count(self.libraries)._asdict(),
        )

    def _read(self, scope: LibraryScope) -> RawReading:
        by_library = {raw.library: raw for raw in self.libraries}
        chosen = chosen_libraries(by_library, scope)
        return RawReading(self._state(), [by_library[library] for library in chosen])

    def _state(self) -> str:
        content = [
            [raw.library.model_dump(mode="json"), raw.items, raw.collections, raw.keys]
            for raw in self.libraries
        ]
        text = json.dumps(content, sort_keys=True, default=dict)
        return hashlib.sha256(text.encode()).hexdigest()
