"""In-memory adapter of port ``LibrarySource``."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from citeloom.application.ports.library import LibraryStatus
from citeloom.domain.library.snapshot import LibraryAttachment, LibraryScope, LibrarySnapshot
from citeloom.infrastructure.library.snapshot import RawLibrary, assemble, chosen_libraries, count


class InMemoryLibrarySource:
    """Serves the given libraries by the rules of every other source."""

    name = "memory"
    asks_network = False

    def __init__(self, libraries: Sequence[RawLibrary] = ()) -> None:
        self.libraries = list(libraries)

    def status(self) -> LibraryStatus:
        return LibraryStatus(
            name=self.name,
            place="memory",
            state=self._state(),
            libraries=tuple(raw.library for raw in self.libraries),
            **count(self.libraries)._asdict(),
        )

    def snapshot(self, scope: LibraryScope) -> LibrarySnapshot:
        chosen = chosen_libraries([raw.library for raw in self.libraries], scope)
        raw = sorted(
            (raw for raw in self.libraries if raw.library in chosen),
            key=lambda raw: chosen.index(raw.library),
        )
        return LibrarySnapshot(
            source=self.name,
            state=self._state(),
            scope=scope,
            complete=True,
            libraries=chosen,
            **assemble(raw, scope)._asdict(),
        )

    def file(self, attachment: LibraryAttachment) -> Path | None:
        path = Path(attachment.path) if attachment.path else None
        return path if path and path.is_file() else None

    def close(self) -> None:
        """Nothing is held open."""

    def _state(self) -> str:
        content = [
            [raw.library.model_dump(mode="json"), raw.items, raw.collections, raw.keys]
            for raw in self.libraries
        ]
        text = json.dumps(content, sort_keys=True, default=dict)
        return hashlib.sha256(text.encode()).hexdigest()
