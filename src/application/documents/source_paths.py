"""Files of stored documents: at their paths, or copies that machines share."""

from pathlib import Path

from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.ports.ingest import SourceCopies, SourceFiles
from citeloom.domain.errors import InvalidSource
from citeloom.domain.maps.address import short_id


class SourcePaths:
    """Finds files whose content still is the one that was converted."""

    def __init__(self, files: SourceFiles, copies: SourceCopies) -> None:
        self._files = files
        self._copies = copies

    def unchanged(self, stored: StoredDocument) -> Path:
        """Raises InvalidSource for a file that is gone, changed or unreadable, StorageFailed."""
        changed: list[str] = []
        for stamp in stored.sources:
            path = Path(stamp.path)
            try:
                if not self._files.exists(stamp.path):
                    continue
                if self._files.sha256(path) == stored.document_id:
                    return path
            except OSError as error:
                raise InvalidSource(
                    f"{path}: cannot be read ({error.strerror}); check its permissions"
                ) from error
            changed.append(stamp.path)
        if changed:
            raise InvalidSource(f"{changed[0]}: changed since it was ingested; ingest it again")
        path_text = stored.path or short_id(stored.document_id)
        if (copy := self._copies.find(stored.document_id, path_text)) is not None:
            return copy
        raise gone(path_text, self._copies)


def gone(path: str, copies: SourceCopies) -> InvalidSource:
    """The error of a file that is neither at its path nor kept as a copy."""
    return InvalidSource(f"{path}: {copies.absence}", source=path)
