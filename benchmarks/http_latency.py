"""Answers of ``citeloom serve`` over loopback: queries by 1, 8 and 32 clients, pictures of pages,
and what happens beyond what it can do.

usage: python benchmarks/http_latency.py [--passages 10000] [--queries 400] [--pages 100]
       python benchmarks/http_latency.py --workspace FOLDER -p PROJECT --questions FILE
           [--clients 1,8,32] [--queries 400] [--no-rerank]

The passages are those of query_latency.py (made-up words, random vectors); each question is another
one, so that no cache knows it. Pictures are of the sample library's papers, each seen before.
Prints milliseconds at the median and the 95th percentile, and the statuses of all answers. The
second form asks the questions of a file as benchmarks/questions.py reads it, each with a made-up
word, and also prints the server's processor time a question and its memory afterwards.
"""

import argparse
import json
import os
import platform
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from itertools import cycle, islice
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import httpx2
import psutil
from query_latency import fill, percentile

from citeloom.domain.ingest import IngestRequest
from citeloom.domain.projects.project import ProjectId
from citeloom.infrastructure.composition.application import open_application

CLIENTS = (1, 8, 32)
AT_ONCE = 400
WORDS = ("tide", "harbour", "recall", "readers", "evening", "cooling", "distance", "grid", "error")
PAPERS = Path(__file__).parent.parent / "references" / "papers"


class Answers(NamedTuple):
    """Seconds of the answers with status 200, and how many had which status, or which failure of
    the connection."""

    seconds: list[float]
    statuses: Counter[int | str]
    retry_after: set[str | None]


@contextmanager
def served(workspace: Path) -> Iterator[str]:
    command = [sys.executable, "-m", "citeloom", "serve", "--port", "0"]
    command += ["--workspace", str(workspace)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, encoding="utf-8") as process:
        assert process.stderr is not None
        line = ""
        while not line.startswith("serving"):
            line = process.stderr.readline()
        try:
            yield line.split()[1] + "/api/v1"
        finally:
            process.terminate()


def question(dice: random.Random) -> dict[str, str]:
    made = "".join(dice.choices("aeioulnrst", k=6))
    return {"project": "bench", "text": f"does {' '.join(dice.sample(WORDS, 4))} change {made}?"}


async def ask(address: str, clients: int, requests: Sequence[httpx2.Request]) -> Answers:
    """The requests, by so many clients with one connection each, one after the other."""
    found = Answers([], Counter(), set())
    waiting = iter(requests)

    async def client() -> None:
        async with httpx2.AsyncClient(base_url=address, timeout=60) as own:
            for request in waiting:
                began = time.perf_counter()
                try:
                    answer = await own.send(request)
                except httpx2.TransportError as error:
                    found.statuses[type(error).__name__] += 1
                    continue
                found.statuses[answer.status_code] += 1
                if answer.status_code == 200:
                    found.seconds.append(time.perf_counter() - began)
                else:
                    found.retry_after.add(answer.headers.get("retry-after"))

    async with anyio.create_task_group() as tasks:
        for _ in range(clients):
            tasks.start_soon(client)
    return found


def show(kind: str, clients: int, answers: Answers, **more: float) -> None:
    row: dict[str, Any] = {
        "kind": kind,
        "clients": clients,
        "p50_ms": round(percentile(answers.seconds, 0.5), 1),
        "p95_ms": round(percentile(answers.seconds, 0.95), 1),
        "statuses": dict(answers.statuses),
        **more,
    }
    if answers.retry_after:
        row["retry_after"] = sorted(map(str, answers.retry_after))
    print(json.dumps(row), flush=True)


def run(work: Callable[[], Awaitable[Answers]]) -> Answers:
    return anyio.run(work)


def ask_library(options: argparse.Namespace) -> None:
    """The second form."""
    lines = options.questions.read_text("utf-8").splitlines()
    known = [json.loads(line)["question"] for line in lines if line]
    dice = random.Random(2)
    rerank = {} if options.rerank else {"rerank": False}
    with served(options.workspace) as address:
        server = next(p for p in psutil.Process().children() if "serve" in p.cmdline())

        def requests(number: int) -> list[httpx2.Request]:
            texts = (f"{q} {''.join(dice.choices('aeioulnrst', k=6))}" for q in cycle(known))
            bodies = ({"project": options.project, "text": one, **rerank} for one in texts)
            asked = islice(bodies, number)
            return [httpx2.Request("POST", f"{address}/query", json=one) for one in asked]

        run(lambda: ask(address, 1, requests(20)))
        for clients in map(int, options.clients.split(",")):
            asked, before = requests(options.queries), server.cpu_times()
            answers = run(lambda c=clients, a=asked: ask(address, c, a))  # type: ignore[misc]
            after = server.cpu_times()
            spent = after.user + after.system - before.user - before.system
            cpu = round(1000 * spent / len(asked), 1)
            memory = server.memory_info().rss // 2**20
            show("question", clients, answers, cpu_ms=cpu, server_mb=memory)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=int, default=10_000)
    parser.add_argument("--queries", type=int, default=400)
    parser.add_argument("--pages", type=int, default=100)
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("-p", "--project")
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--clients", default=",".join(map(str, CLIENTS)))
    parser.add_argument("--rerank", action=argparse.BooleanOptionalAction, default=True)
    options = parser.parse_args()
    print(
        f"{datetime.now(UTC):%Y-%m-%d} {platform.platform()} {os.cpu_count()} processors, "
        f"Python {platform.python_version()}, load {os.getloadavg()[0]:.1f}"
    )
    if options.workspace:
        ask_library(options)
        return
    dice = random.Random(2)
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder)
        with closing(open_application(workspace)) as application:
            fill(application, ProjectId.parse("bench"), options.passages)
            request = IngestRequest(project_id=ProjectId.parse("papers"), sources=(str(PAPERS),))
            application.ingest.files(request)
        with served(workspace) as address:

            def queries(number: int) -> list[httpx2.Request]:
                path = f"{address}/query"
                return [httpx2.Request("POST", path, json=question(dice)) for _ in range(number)]

            run(lambda: ask(address, 1, queries(20)))
            for clients in CLIENTS:
                asked = queries(options.queries)
                show("query", clients, run(lambda c=clients, a=asked: ask(address, c, a)))  # type: ignore[misc]
            burst = queries(AT_ONCE)
            show("query", AT_ONCE, run(lambda: ask(address, AT_ONCE, burst)))
            papers = httpx2.get(f"{address}/projects/local/papers/documents").json()["documents"]
            pictures = [
                f"{address}/documents/{one['document_id']}/pages/1.png?project=papers"
                for one in papers
                if one["pages"]
            ]
            seen = [httpx2.Request("GET", url) for url in pictures]
            run(lambda: ask(address, 1, seen))
            again = [httpx2.Request("GET", dice.choice(pictures)) for _ in range(options.pages)]
            show("page picture", 1, run(lambda: ask(address, 1, again)))


if __name__ == "__main__":
    main()
