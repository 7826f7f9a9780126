"""Progress of an ingest on stderr: a bar on a terminal, lines in a log."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from citeloom.application.ports.ingest import IngestStage, Progress
from citeloom.domain.ingest import DocumentReport

from .output import console, in_words
from .run import note
from .terminal import is_terminal, printable_line

LINE_EVERY = 100  # pages
MANY = 500  # documents
WIDE = 100  # columns


@contextmanager
def progress_display(*, many: bool = False) -> Iterator[Progress]:
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
        TimeRemainingColumn,
    )

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
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

    def begin(self, documents: int) -> None:
        self._total = documents

    def stage(self, source: str, stage: IngestStage) -> None: ...

    def pages(self, source: str, done: int, total: int) -> None:
        """A line per hundred pages, so that a log is not silent for minutes."""
        if done // LINE_EVERY > self._told.get(source, 0) // LINE_EVERY and done < total:
            note(f"    {Path(source).name}: {done} of {total} pages")
        self._told[source] = done

    def done(self, report: DocumentReport) -> None:
        self._done += 1
        if report.status.value != "unchanged" and not self._done % self._every:
            note(f"[{self._done}/{self._total}] {report.status.value} {Path(report.source).name}")

    def notice(self, text: str) -> None:
        note(in_words(text))


class BarProgress:
    """A bar with stage, pages and passages per second, and remaining time."""

    def __init__(self, bar: Any) -> None:
        self._bar = bar
        self._pages = self._passages = 0
        self._task = bar.add_task("looking at files", total=None, rate="")

    def begin(self, documents: int) -> None:
        self._bar.update(self._task, total=documents)

    def stage(self, source: str, stage: IngestStage) -> None:
        self._bar.update(self._task, description=f"{stage.value:10} {_name(source)}")

    def pages(self, source: str, done: int, total: int) -> None:
        self._bar.update(self._task, description=f"converting {_name(source)} {done}/{total} p.")

    def done(self, report: DocumentReport) -> None:
        if report.status.value in ("added", "updated"):
            self._pages += report.pages
            self._passages += report.chunks
        elapsed = self._bar.tasks[0].elapsed or 0
        rate = ""
        if elapsed > 1 and self._passages:
            rate = f"{self._passages / elapsed:.1f} passages/s"
            if self._bar.console.width >= WIDE:
                rate = f"{self._pages / elapsed:.1f} pages/s, {rate}"
        self._bar.update(self._task, advance=1, rate=rate)
        if report.error:
            self._say(f"failed: {in_words(report.error)}")

    def notice(self, text: str) -> None:
        self._say(in_words(text))

    def _say(self, text: str) -> None:
        self._bar.console.print(printable_line(text), markup=False)


def _name(source: str) -> str:
    """The name of a file as a bar shows it: markup of the bar's is none in it."""
    from rich.markup import escape

    return escape(printable_line(Path(source).name[:40]))
