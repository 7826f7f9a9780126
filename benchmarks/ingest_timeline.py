"""Timeline of one ingest from nothing: what each process does, and which cores are idle.

usage: python benchmarks/ingest_timeline.py FOLDER [--every SECONDS] [--no-sentences] [--jobs N]

Each row is an interval: cores that this process (chunking, embedding, storing) and the processes
below it (conversion) kept busy, papers that are stored, and what this process was at. The last
lines sum up processor time by process and stage. Other load on the machine shows as idle cores.
"""

import argparse
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

import psutil

from citeloom.application.ports.ingest import IngestStage, SilentProgress
from citeloom.domain.ingest import DocumentReport, IngestRequest
from citeloom.domain.projects.project import ProjectId
from citeloom.infrastructure.composition.application import open_application

LOOKING = "looking"


class Timeline(SilentProgress, threading.Thread):
    """The progress of the ingest, and a thread that samples its processes."""

    def __init__(self, every: float) -> None:
        super().__init__(daemon=True)
        self.stage_now, self.paper, self.stored = LOOKING, "", 0
        self.by_stage: dict[str, float] = {}
        self.workers: dict[int, float] = {}
        self._every, self._since = every, time.process_time()
        self._ended = threading.Event()

    def stage(self, source: str, stage: IngestStage) -> None:
        if threading.current_thread() is threading.main_thread():
            self._enter(stage.value)
            self.paper = Path(source).name

    def done(self, report: DocumentReport) -> None:
        self.stored += report.error is None
        self._enter("waiting")

    def end(self) -> None:
        self._enter("")
        self._ended.set()
        self.join()

    def run(self) -> None:
        began, before = time.perf_counter(), self._sample()
        print("from s   here  below  stored  at")
        while not self._ended.wait(self._every):
            now = self._sample()
            here, below = ((b - a) / self._every for a, b in zip(before, now, strict=True))
            at = time.perf_counter() - began - self._every
            doing = f"{self.stage_now} {self.paper}"
            print(f"{at:6.1f}  {here:5.2f}  {below:5.2f}  {self.stored:6}  {doing}")
            before = now

    def _enter(self, stage: str) -> None:
        now = time.process_time()
        before = self.by_stage.get(self.stage_now, 0.0)
        self.by_stage[self.stage_now] = before + now - self._since
        self.stage_now, self._since = stage, now

    def _sample(self) -> tuple[float, float]:
        for child in psutil.Process().children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                times = child.cpu_times()
                self.workers[child.pid] = times.user + times.system
        return time.process_time(), sum(self.workers.values())


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--every", type=float, default=1.0)
    parser.add_argument("--no-sentences", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        opened = open_application(Path(folder), {"ingest": {"jobs": given.jobs}})
        request = IngestRequest(
            project_id=ProjectId.parse("timeline"),
            sources=(str(given.folder),),
            sentences=not given.no_sentences,
        )
        timeline = Timeline(given.every)
        timeline.start()
        began = time.perf_counter()
        result = opened.ingest.files(request, timeline)
        seconds = time.perf_counter() - began
        timeline.end()
        opened.close()
    below = [f"{one:.1f}" for one in sorted(timeline.workers.values(), reverse=True)]
    print(
        f"\n{result.documents_processed} papers, {result.chunks_written} passages: {seconds:.1f} s"
    )
    print(
        "processor time here: "
        + ", ".join(f"{name} {used:.1f} s" for name, used in timeline.by_stage.items())
    )
    print(f"processor time below, by process: {', '.join(below)} s")


if __name__ == "__main__":
    main()
