"""Progress of an ingest on stderr: a bar on a terminal, lines in a log."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from .output import console, in_words
from .run import note
from .terminal import is_terminal, printable_line

if TYPE_CHECKING:
    from citeloom.application.ports.ingest import IngestStage, Progress
    from citeloom.domain.ingest import DocumentReport

LINE_EVERY = 100  # pages
MANY = 500  # documents
WIDE = 100  # columns
_SOON = 10  # seconds


@contextmanager
def progress_display(*, many: bool = False) -> "Iterator[Progress]":
    """A bar on a terminal, else lines: one per document, or one per 500 where there are ``many``
    small ones."""
    if not is_terminal():
        yield LineProgress(MANY if many else 1)
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
    )

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}"),
        console=console(stderr=True),
        transient=True,
    )
    with bar:
        yield BarProgress(bar)


class LineProgress:
    """One line per document, or per ``every`` documents, as they are finished."""

    def __init__(self, every: int = 1) -> None:
        self._every = every
        self._total = self._done = 0
        self._told: dict[str, int] = {}
        self._start = monotonic()

    def begin(self, documents: int) -> None:
        self._total = documents

    def stage(self, source: str, stage: "IngestStage") -> None: ...

    def pages(self, source: str, done: int, total: int) -> None:
        """A line per hundred pages, so that a log is not silent for minutes."""
        if done // LINE_EVERY > self._told.get(source, 0) // LINE_EVERY and done < total:
            note(f"    {Path(source).name}: {done} of {total} pages")
        self._told[source] = done

    def done(self, report: "DocumentReport") -> None:
        self._done += 1
        if report.status.value != "unchanged" and not self._done % self._every:
            left = time_left(monotonic() - self._start, self._done, self._total)
            line = f"[{self._done}/{self._total}] {report.status.value} {_called(report)}"
            note(f"{line}, {left}" if left else line)

    def notice(self, text: str) -> None:
        note(in_words(text))


class BarProgress:
    """A bar with stage, pages and passages per second, and remaining time."""

    def __init__(self, bar: Any) -> None:
        self._bar = bar
        self._pages = self._passages = 0
        self._task = bar.add_task("looking at files", total=None, rate="", left="")

    def begin(self, documents: int) -> None:
        self._bar.update(self._task, total=documents)

    def stage(self, source: str, stage: "IngestStage") -> None:
        self._bar.update(self._task, description=f"{stage.value:10} {_name(source)}")

    def pages(self, source: str, done: int, total: int) -> None:
        self._bar.update(self._task, description=f"converting {_name(source)} {done}/{total} p.")

    def done(self, report: "DocumentReport") -> None:
        if report.status.value in ("added", "updated"):
            self._pages += report.pages
            self._passages += report.chunks
        task = self._bar.tasks[0]
        elapsed, number = task.elapsed or 0, int(task.completed) + 1
        left = time_left(elapsed, number, int(task.total or number))
        rate = ""
        if elapsed > 1 and self._passages:
            rate = f"{self._passages / elapsed:.1f} passages/s"
            if self._bar.console.width >= WIDE:
                rate = f"{self._pages / elapsed:.1f} pages/s, {rate}"
        named = _shown(f"{report.status.value} {report.citekey or Path(report.source).name}")
        self._bar.update(self._task, advance=1, rate=rate, left=left, description=named)
        if report.error:
            self._say(f"failed: {in_words(report.error)}")

    def notice(self, text: str) -> None:
        self._say(in_words(text))

    def _say(self, text: str) -> None:
        self._bar.console.print(printable_line(text), markup=False)


def time_left(elapsed: float, done: int, total: int) -> str:
    """``about 3 min left``, by the papers that are done; empty where less than ten seconds are."""
    seconds = elapsed / done * (total - done)
    if seconds < _SOON:
        return ""
    return f"about {seconds:.0f} s left" if seconds < 100 else f"about {seconds / 60:.0f} min left"


def _called(report: "DocumentReport") -> str:
    """A paper by its key, and the file that it is."""
    file = Path(report.source).name
    return f"{report.citekey} ({file})" if report.citekey else file


def _name(source: str) -> str:
    return _shown(Path(source).name)


def _shown(text: str) -> str:
    """A text as a bar shows it: nothing in it is markup."""
    from rich.markup import escape

    return escape(printable_line(text[:40]))
