"""Records of a dataset as source files (port ``SourceFiles``)."""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from citeloom.application.ports.catalogue import SourceStamp
from citeloom.application.ports.ingest import FoundFile, FoundFiles
from citeloom.domain.errors import InvalidSource
from citeloom_evaluation.domain.dataset import Record


class RecordFiles:
    """Each record is a file ``CORPUS/ID``; ``records`` are by that path. An unchanged corpus costs
    one ``stat`` call."""

    def __init__(self, corpus: Path, records: Mapping[str, Record]) -> None:
        self._corpus = corpus
        self._records = records

    def find(self, sources: Sequence[str], accepts: Callable[[Path], bool]) -> FoundFiles:
        """All records; the corpus is the only valid source."""
        if list(sources) != [str(self._corpus)]:
            raise InvalidSource(f"{', '.join(sources)}: name the corpus, {self._corpus}")
        try:
            changed = self._corpus.stat().st_mtime_ns
        except OSError as error:
            raise InvalidSource(f"{self._corpus}: {error.strerror}; check the file") from error
        files = tuple(
            FoundFile(
                path=Path(path),
                stamp=SourceStamp(
                    path=path, size=len(record.title) + len(record.text), mtime_ns=changed
                ),
            )
            for path, record in self._records.items()
            if accepts(Path(path))
        )
        return FoundFiles(files=files, folders=(self._corpus,))

    def stamps(self, paths: Iterable[str]) -> Mapping[str, SourceStamp]:
        files = self.find([str(self._corpus)], lambda _: True).files
        names = set(paths)
        return {
            file.stamp.path: file.stamp for file in files if file.stamp and str(file.path) in names
        }

    def sha256(self, path: Path) -> str:
        """Digest of title and text: records with the same content are one document."""
        record = self._records[str(path)]
        content = json.dumps([record.title, record.text], ensure_ascii=False)
        return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()

    def exists(self, path: str) -> bool:
        return path in self._records

    def resolved(self, path: Path) -> Path:
        return path
