"""Ports of evaluation: data sets of judged questions, measures of rankings."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from citeloom.domain.evaluation.dataset import Dataset, Judgments, Quality


class DatasetReader(Protocol):
    """Reads data sets of judged questions."""

    def read(self, folder: Path, split: str | None = None) -> Dataset:
        """The dataset in ``folder`` with the judgments of ``split`` (None: the default split).

        Raises InvalidSource with file, line and reason, also if no question is judged.
        """


class Measures(Protocol):
    """Measures of rankings against judgments."""

    def quality(self, judgments: Judgments, rankings: Mapping[str, Sequence[str]]) -> Quality:
        """Means over the questions of ``judgments``; ``rankings`` are record ids, best first,
        by question id. A question without a ranking counts as an empty one."""
