"""Port: turning files into text with places."""

from collections.abc import Callable, Generator, Iterable
from pathlib import Path
from typing import Protocol

from pydantic import ConfigDict

from citeloom.domain.conversion import ConversionResult
from citeloom.domain.errors import CiteLoomError
from citeloom.domain.values import Value


class ConversionJob(Value):
    """A file to convert; ``document_id`` is the sha256 of its content."""

    source: Path
    document_id: str
    password: str | None = None


class ConversionOutcome(Value):
    """What became of a job: exactly one of ``result`` and ``error`` is set."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    job: ConversionJob
    result: ConversionResult | None = None
    error: CiteLoomError | None = None
    seconds: float = 0.0
    peak_rss_bytes: int | None = None


#: Hears of a long conversion: the job, pages done, pages in all.
Heard = Callable[[ConversionJob, int, int], None]


class Converter(Protocol):
    """Converts files, each in isolation: a crash, a hang or a bad file costs one document."""

    @property
    def fingerprint(self) -> str:
        """Name, version and settings. A result's ``converter`` begins with it and may add
        what else it took; the same ``converter`` and file give the same result."""

    def is_current(self, fingerprint: str) -> bool:
        """Whether a result whose ``converter`` is this would come out the same, or worse, if
        its file were converted now."""

    def supports(self, source: Path) -> bool:
        """Whether the file's name promises a format that can be converted."""

    def convert(
        self, jobs: Iterable[ConversionJob], heard: Heard | None = None
    ) -> Generator[ConversionOutcome, None, None]:
        """Outcomes as they are ready, in any order; ``jobs`` is read only as far ahead as
        there are workers. Closing the generator ends all workers. ``heard`` is called from
        within the generator, in its thread."""
