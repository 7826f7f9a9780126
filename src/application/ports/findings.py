"""Port: what was found about claims before."""

from collections.abc import Mapping
from typing import Protocol

from citeloom.domain.drafts.verification import Finding


class FindingCache(Protocol):
    """Findings by a digest of all that they depend on. Losing them costs time only."""

    def load(self) -> Mapping[str, Finding]:
        """Those that are kept; what cannot be read any more is left out."""

    def save(self, findings: Mapping[str, Finding]) -> None:
        """Keep these and no others, whole or not at all. Raises StorageFailed."""
