"""Port: drafts as they lie on disk."""

from pathlib import Path
from typing import Protocol

from citeloom.domain.drafts.draft import Draft


class DraftReader(Protocol):
    """Reads drafts of the formats that authors write in."""

    def read(self, path: Path) -> Draft:
        """Raises InvalidSource for a file that is missing, unreadable, damaged, or not text
        where text is expected, and UnsupportedFormat, naming the formats there are."""
