"""The verb *session compare*: sources and claims of two reviews."""

from uuid import UUID

from citeloom.application.ports.research import ResearchRecord
from citeloom.application.research.finished_sessions import ended_session
from citeloom.domain.research.comparison import Comparison, compare


class CompareReviews:
    """Compares two ended sessions."""

    def __init__(self, record: ResearchRecord) -> None:
        self._record = record

    def __call__(self, a: UUID, b: UUID) -> Comparison:
        """Raises SessionNotFound, and SessionBusy for a running session."""
        for id in (a, b):
            ended_session(self._record, id)
        return compare(self._record.recorded(a), self._record.recorded(b))
