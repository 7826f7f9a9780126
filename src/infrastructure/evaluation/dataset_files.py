"""The records of a dataset as files: what an ingest sees of them."""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from citeloom.application.ports.catalogue import SourceStamp
from citeloom.application.ports.ingest import FoundFile, FoundFiles
from citeloom.domain.errors import InvalidSource
from citeloom.domain.evaluation.dataset import Record


class RecordFiles:
    """Each record is a file ``CORPUS/ID``; ``records`` are by that path. A corpus that is the
    same file as before costs one look."""

    def __init__(self, corpus: Path, records: Mapping[str, Record]) -> None:
        self._corpus = corpus
        self._records = records

    def find(self, sources: Sequence[str], accepts: Callable[[Path], bool]) -> FoundFiles:
        """All records; the only source there is is the corpus."""
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
        found = self.find([str(self._corpus)], lambda _: True).files
        wanted = set(paths)
        return {one.stamp.path: one.stamp for one in found if one.stamp and str(one.path) in wanted}

    def sha256(self, path: Path) -> str:
        """Of title and text; records that differ in their ids only are one document."""
        record = self._records[str(path)]
        content = json.dumps([record.title, record.text], ensure_ascii=False)
        return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()

    def exists(self, path: str) -> bool:
        return path in self._records
