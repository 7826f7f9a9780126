"""Port: collections with questions and judgments."""

from pathlib import Path
from typing import Protocol

from citeloom.domain.evaluation import Dataset


class DatasetReader(Protocol):
    def read(self, folder: Path, split: str | None = None) -> Dataset:
        """The dataset in ``folder`` with the judgments of ``split`` (or its usual ones).

        Raises InvalidSource naming file, line and reason, also if no question is judged.
        """
