"""Ports of evaluation: data sets of judged questions, and labelled claims."""

from pathlib import Path
from typing import Protocol

from citeloom_evaluation.domain.claim_quality import LabelledClaim
from citeloom_evaluation.domain.dataset import Dataset


class DatasetReader(Protocol):
    """Reads data sets of judged questions."""

    def read(self, folder: Path, split: str | None = None) -> Dataset:
        """The dataset in ``folder`` with the judgments of ``split`` (None: the default split).

        Raises InvalidSource with file, line and reason, also if no question is judged.
        """


class ClaimReader(Protocol):
    """Reads labelled claims."""

    def read(self, path: Path) -> tuple[LabelledClaim, ...]:
        """Raises InvalidSource with file, line and reason, also if there is no claim."""
