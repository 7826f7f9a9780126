"""Writers and readers at once on a Qdrant server, while its nodes are killed: is anything lost?

usage: python benchmarks/server_load.py URL [--minutes 5] [--writers 8] [--readers 32]
           [--projects 4] [--layout project|shared] [--shards 1] [--replicas 1]
           [--node COMMAND]... [--kill SECONDS] [--down SECONDS]

The server is empty and for this alone. COMMAND starts a node of it, in the order given; the last
node is killed (SIGKILL) every so many SECONDS, stays down for some and is started again. Each
writer replaces documents of its own by passages of new revisions, again and again until the server
took them, as the next ingest does. Readers search and fetch: what they see must belong to the
project, and a document that nobody changes must be found each time. At the end each document has
exactly the passages of its last revision.

Prints a Markdown table: calls, p50 / p95 / longest in ms of the calls that succeeded, errors by
kind with the longest time between two successful calls, and what is wrong: passages of another
project, answers without the unchanged document, documents that differ.
"""

import argparse
import os
import random
import shlex
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from citeloom.application.ports.index import Collection, EmbeddedPassage, Passage, SparseVector
from citeloom.domain.documents.spans import CharSpan, Chunk, PageSpan, chunk_id
from citeloom.domain.errors import IndexUnavailable
from citeloom.domain.projects.project import IndexLayout
from citeloom.domain.search.filters import Filter
from citeloom_server.infrastructure.index.index import CollectionStorage, ServerIndex
from citeloom_server.infrastructure.index.server import Server

DIMENSION = 384
DOCUMENTS, MOST_PASSAGES = 12, 30
SENTENCES = 4
FIXED = "fixed"
FIXED_TERM = 10**6


@dataclass
class Calls:
    """Times in seconds of the calls of one kind; ``gap`` is the longest time without any."""

    times: list[float] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)
    gap: float = 0.0
    last: float = field(default_factory=time.monotonic)
    guard: threading.Lock = field(default_factory=threading.Lock)

    def run(self, call: Callable[[], object]) -> bool:
        began = time.monotonic()
        try:
            call()
        except IndexUnavailable as error:
            with self.guard:
                self.errors[_kind(error)] += 1
            return False
        with self.guard:
            now = time.monotonic()
            self.times.append(now - began)
            self.gap, self.last = max(self.gap, now - self.last), now
        return True

    def row(self, name: str) -> str:
        ordered = sorted(self.times)
        p50, p95, longest = (
            1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]
            for share in (0.5, 0.95, 1.0)
        )
        errors = ", ".join(f"{count} × {kind}" for kind, count in self.errors.most_common())
        return (
            f"| {name} | {len(ordered)} | {p50:.0f} | {p95:.0f} | {longest:.0f} | {self.gap:.1f} "
            f"| {errors or 'none'} |"
        )


def _kind(error: IndexUnavailable) -> str:
    """The message without what changes from call to call."""
    text = str(error.message).split(" failed: ")[-1]
    return text.split("(")[0].split(";")[0].strip() + ("" if "500" not in text else text[-140:])


class Nodes:
    """Processes of the server; the last is killed again and again."""

    def __init__(self, commands: Sequence[str], every: float, down: float) -> None:
        self._commands = [shlex.split(each) for each in commands]
        self._every, self._down = every, down
        self._running: list[subprocess.Popen[bytes]] = []
        self.kills = 0

    @contextmanager
    def running(self) -> Iterator[None]:
        try:
            for command in self._commands:
                self._running.append(_started(command))
                time.sleep(2)
            yield
        finally:
            for process in self._running:
                process.kill()
                process.wait()

    def kill_until(self, ended: threading.Event) -> None:
        while self._commands and self._every and not ended.wait(self._every):
            self._running[-1].send_signal(signal.SIGKILL)
            self._running[-1].wait()
            self.kills += 1
            time.sleep(self._down)
            self._running[-1] = _started(self._commands[-1])


def _started(command: Sequence[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


class Load:
    """``stored`` are the chunk ids of each document's last revision, by project and document."""

    def __init__(self, index: ServerIndex, projects: int, seed: int) -> None:
        self.index = index
        self.projects = [f"load-{number}" for number in range(projects)]
        self.stored: dict[tuple[str, str], set[str]] = {}
        self.writes, self.reads = Calls(), Calls()
        self.foreign = self.missed = 0
        self._seed = seed
        self._ended = threading.Event()

    def prepare(self) -> None:
        for project in self.projects:
            self._write(project, f"{project}/{FIXED}", revision(project, FIXED, 0, 5))
        self.writes, self.reads = Calls(), Calls()

    def run(self, seconds: float, writers: int, readers: int, nodes: Nodes) -> None:
        work = [(self._writer, number) for number in range(writers)]
        work += [(self._reader, number) for number in range(readers)]
        threads = [threading.Thread(target=each, args=(number,)) for each, number in work]
        threads.append(threading.Thread(target=nodes.kill_until, args=(self._ended,)))
        for thread in threads:
            thread.start()
        time.sleep(seconds)
        self._ended.set()
        for thread in threads:
            thread.join()

    def different(self) -> list[str]:
        """Documents whose passages are not those of the last revision."""
        wrong = []
        for project in self.projects:
            with self.index.open(project, dimension=DIMENSION) as collection:
                there = {
                    document: {p.chunk.id for p in collection.passages(document)}
                    for document in collection.counts()
                }
            mine = {doc: ids for (of, doc), ids in self.stored.items() if of == project}
            wrong += [doc for doc in mine | there if mine.get(doc) != there.get(doc)]
        return wrong

    def _writer(self, number: int) -> None:
        dice = random.Random(self._seed + number)
        project = self.projects[number % len(self.projects)]
        turn = 0
        while not self._ended.is_set():
            turn += 1
            name = f"w{number}-{dice.randrange(DOCUMENTS)}"
            passages = revision(project, name, turn, dice.randint(1, MOST_PASSAGES))
            self._write(project, f"{project}/{name}", passages)

    def _write(self, project: str, document: str, passages: list[EmbeddedPassage]) -> None:
        """Until it is stored, whatever happens, as the next ingest would."""

        def write() -> None:
            with self.index.open(project, dimension=DIMENSION) as collection:
                collection.replace_document(document, passages)

        while not self.writes.run(write):
            time.sleep(0.2)
        self.stored[project, document] = {each.passage.chunk.id for each in passages}

    def _reader(self, number: int) -> None:
        dice = random.Random(-self._seed - number)
        while not self._ended.is_set():
            project = dice.choice(self.projects)
            self.reads.run(lambda project=project: self._read(project))

    def _read(self, project: str) -> None:
        with self.index.open(project, dimension=DIMENSION) as collection:
            found = _documents(collection)
        self.foreign += sum(not document.startswith(f"{project}/") for document in found)
        self.missed += f"{project}/{FIXED}" not in found


def _documents(collection: Collection) -> list[str]:
    dense = np.random.default_rng().normal(size=DIMENSION)
    words = SparseVector([1, FIXED_TERM], [1.0, 1.0])
    hits = collection.search(dense=dense, sparse=words, filter=Filter(), limit=20)
    return [passage.chunk.doc_id for passage in collection.fetch([hit.id for hit in hits])]


def revision(project: str, name: str, number: int, count: int) -> list[EmbeddedPassage]:
    """Passages that no other revision has."""
    document = f"{project}/{name}"
    dice = np.random.default_rng()
    text = "A sentence that can be quoted. " * SENTENCES
    length = len(text) // SENTENCES
    spans = tuple(CharSpan(start=n * length, end=(n + 1) * length) for n in range(SENTENCES))
    found = []
    for idx in range(count):
        pages, section = PageSpan(start=idx + 1, end=idx + 1), (f"Revision {number}",)
        chunk = Chunk(
            id=chunk_id(document, pages, section, "load", idx),
            doc_id=document,
            chunk_idx=idx,
            text=text,
            char_span=CharSpan(start=0, end=len(text)),
            page_span=pages,
            section_path=section,
        )
        passage = Passage(chunk=chunk, title=name, source_path=f"/{document}", sentences=spans)
        vectors = dice.normal(size=(1 + SENTENCES, DIMENSION))
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        term = FIXED_TERM if name == FIXED else idx + 2
        words = SparseVector([1, term], [1.0, 1.0])
        found.append(EmbeddedPassage(passage, vectors[0], words, list(vectors[1:])))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("url")
    parser.add_argument("--minutes", type=float, default=5.0)
    for name, default in (("writers", 8), ("readers", 32), ("projects", 4), ("shards", 1)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--replicas", type=int, default=1)
    parser.add_argument("--layout", type=IndexLayout, default=IndexLayout.PROJECT)
    parser.add_argument("--node", action="append", default=[])
    parser.add_argument("--kill", type=float, default=0.0)
    parser.add_argument("--down", type=float, default=2.0)
    options = parser.parse_args()
    key = os.environ.get("CITELOOM_INDEX__API_KEY")
    storage = CollectionStorage(shards=options.shards, replicas=options.replicas)
    index = ServerIndex(
        Server(options.url, key), layout=options.layout, model="load", storage=storage
    )
    nodes = Nodes(options.node, options.kill, options.down)
    with nodes.running():
        load = Load(index, options.projects, seed=24)
        load.prepare()
        load.run(options.minutes * 60, options.writers, options.readers, nodes)
        time.sleep(5)
        different = load.different()
        for project in load.projects:
            index.drop(project)
    print("| calls | succeeded | p50 ms | p95 ms | longest ms | longest gap s | errors |")
    print("|---|---:|---:|---:|---:|---:|---|")
    print(load.writes.row("replace a document"))
    print(load.reads.row("search and fetch"))
    print(
        f"\n{options.minutes:g} minutes, {nodes.kills} kills, {len(load.stored)} documents: "
        f"{load.foreign} passages of another project, {load.missed} answers without the unchanged "
        f"document, {len(different)} documents that differ {different[:5]}"
    )


if __name__ == "__main__":
    main()
