"""Whether calls of ``citeloom mcp`` wait for each other, through the official client.

usage: python benchmarks/mcp_waiting.py WORKSPACE -p PROJECT [--http] [--times N]

Asks quick tools of the project (seconds, median and longest) alone; while an ingest runs; while 16
and 200 calls wait for that ingest as well; and while 20 queries are reranked at once. Then how long
a cancelled job and a cancelled call go on, and what threads and memory are left. The ingest is of
pages of made-up words, into a project of its own below WORKSPACE, and is cancelled.
"""

import argparse
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import anyio
import psutil
from mcp import Client
from mcp.client.stdio import StdioServerParameters

COMMAND = ["-m", "citeloom", "mcp"]
PAPERS, PARAGRAPHS, WORDS = 80, 60, 100
HTTP_CLIENTS = 5  # of at most 100 connections each
QUESTIONS = ("how students learn to program", "reproducible notebooks", "open data in teaching")


def write_papers(folder: Path) -> None:
    """Papers of made-up words that no cache knows, enough for some minutes of embedding."""
    folder.mkdir(parents=True, exist_ok=True)
    made = random.Random(time.time())
    for number in range(PAPERS):
        paragraphs = (
            " ".join("".join(made.choices("aeioulnrst", k=6)) for _ in range(WORDS)) + "."
            for _ in range(PARAGRAPHS)
        )
        text = f"# Paper {number}\n\n" + "\n\n".join(paragraphs)
        (folder / f"{number}.md").write_text(text, "utf-8")


@asynccontextmanager
async def served(
    workspace: Path, *, http: bool
) -> AsyncIterator[tuple[list[Client], psutil.Process]]:
    """Clients, over standard input and output one, and the process of their server."""
    if not http:
        command = [*COMMAND, "--workspace", str(workspace)]
        parameters = StdioServerParameters(
            command=sys.executable, args=command, env=dict(os.environ)
        )
        async with Client(parameters) as client:
            (process,) = psutil.Process().children()
            yield [client], process
        return
    command = [sys.executable, *COMMAND, "--http", "--port", "0", "--workspace", str(workspace)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, encoding="utf-8") as process:
        assert process.stderr is not None
        line = ""
        while not line.startswith("serving"):
            line = process.stderr.readline()
        try:
            async with AsyncExitStack() as stack:
                made = (Client(line.split()[-1]) for _ in range(HTTP_CLIENTS))
                clients = [await stack.enter_async_context(client) for client in made]
                yield clients, psutil.Process(process.pid)
        finally:
            process.terminate()


class Asked:
    """Calls of the first client, and of all in turn where many are made at once."""

    def __init__(self, clients: Sequence[Client], project: str, times: int) -> None:
        self.clients = clients
        self.project = project
        self.times = times

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        content = (await self.clients[0].call_tool(tool, arguments)).structured_content
        assert content is not None
        return content

    async def outcome(self, tool: str, **arguments: Any) -> str:
        content = await self.call(tool, **arguments)
        return content["error"]["code"] if "error" in content else "ok"

    async def quick(self) -> dict[str, list[float]]:
        """Seconds of tools that look things up, and of questions."""
        seconds: dict[str, list[float]] = {}
        for number in range(self.times):
            text = f"{QUESTIONS[number % len(QUESTIONS)]} {number}"
            for tool, arguments in (
                ("list_projects", {}),
                ("inspect_collection", {"project": self.project}),
                ("query", {"project": self.project, "text": text}),
                ("query_hybrid", {"project": self.project, "text": text}),
            ):
                began = time.monotonic()
                outcome = await self.outcome(tool, **arguments)
                seconds.setdefault(tool, []).append(time.monotonic() - began)
                if outcome != "ok":
                    print(f"  {tool}: {outcome}")
        return seconds

    async def beside(
        self, count: int, tool: str, arguments: Callable[[], dict[str, Any]]
    ) -> tuple[dict[str, list[float]], Counter[str], float]:
        """Quick tools while ``count`` calls of ``tool`` are under way, how these ended, and
        seconds until all had."""
        outcomes: Counter[str] = Counter()

        async def one(client: Client) -> None:
            outcomes[await Asked([client], self.project, 0).outcome(tool, **arguments())] += 1

        began = time.monotonic()
        async with anyio.create_task_group() as tasks:
            for number in range(count):
                tasks.start_soon(one, self.clients[-(number % len(self.clients)) - 1])
            await anyio.sleep(0.2)
            seconds = await self.quick()
        return seconds, outcomes, time.monotonic() - began

    async def running_ingest(self, folder: Path) -> str:
        """The id of an ingest that runs."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self.outcome_of_ingest, folder)
            while True:
                await anyio.sleep(0.2)
                for job in (await self.call("jobs"))["jobs"]:
                    if job["status"] == "running" and job.get("done", 0) >= 1:
                        return job["job_id"]

    async def outcome_of_ingest(self, folder: Path) -> None:
        await self.outcome("ingest_from_source", project="waiting", source=str(folder))


def show(what: str, seconds: dict[str, list[float]]) -> None:
    told = (f"{tool} {median(times):.2f} ({max(times):.2f})" for tool, times in seconds.items())
    print(f"{what:34} {'  '.join(told)}", flush=True)


def show_process(process: psutil.Process) -> None:
    workers = process.children(recursive=True)
    memory = process.memory_info().rss / 2**20
    print(f"  threads {process.num_threads()}, memory {memory:.0f} MB, workers {len(workers)}")


async def cancels(asked: Asked, process: psutil.Process, job_id: str, folder: Path) -> None:
    began = time.monotonic()
    told = await asked.call("jobs", job_id=job_id, cancel=True)
    print(f"ingest, embedding: {told['status']} after {time.monotonic() - began:.2f} s")
    show_process(process)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(asked.outcome_of_ingest, folder)
        while not process.children(recursive=True):
            await anyio.sleep(0.02)
        began = time.monotonic()
        (job, *_) = (await asked.call("jobs"))["jobs"]
        told = await asked.call("jobs", job_id=job["job_id"], cancel=True)
    print(f"ingest, converting: {told['status']} after {time.monotonic() - began:.2f} s")
    show_process(process)

    rerank = {"project": asked.project, "text": "notebooks", "rerank": True, "top_k": 20}
    with anyio.move_on_after(0.3):
        await asked.call("query_hybrid", **rerank)
    began, cpu = time.monotonic(), sum(process.cpu_times()[:2])
    await anyio.sleep(3)
    spent = sum(process.cpu_times()[:2]) - cpu
    print(f"reranking, call cancelled: {spent:.2f} s of processor in the next 3 s")


async def measure(workspace: Path, project: str, times: int, *, http: bool) -> None:
    folder = workspace / "waiting"
    write_papers(folder)
    async with served(workspace, http=http) as (clients, process):
        asked = Asked(clients, project, times)
        await asked.quick()
        await asked.outcome("query_hybrid", project=project, text="warm", rerank=True)
        print(f"{'HTTP' if http else 'stdio'}, load {os.getloadavg()[0]:.1f}")
        show("alone", await asked.quick())

        def reranked() -> dict[str, Any]:
            text = f"{random.choice(QUESTIONS)} {random.random()}"
            return {"project": project, "text": text, "top_k": 20, "context": 5, "rerank": True}

        seconds, outcomes, took = await asked.beside(20, "query_hybrid", reranked)
        show("beside 20 reranked queries", seconds)
        print(f"  reranked queries: {dict(outcomes)}, all after {took:.1f} s")

        job_id = await asked.running_ingest(folder)
        show("an ingest runs", await asked.quick())

        def waiting() -> dict[str, Any]:
            return {"job_id": job_id, "wait_seconds": 14}

        for count in (16, 200):
            seconds, outcomes, _ = await asked.beside(count, "jobs", waiting)
            show(f"and {count} calls wait for it", seconds)
            print(f"  waiting calls: {dict(outcomes)}")
            show_process(process)
        await cancels(asked, process, job_id, folder)
        show("alone, after", await asked.quick())
        show_process(process)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workspace", type=Path)
    parser.add_argument("-p", "--project", required=True)
    parser.add_argument("--http", action="store_true")
    parser.add_argument("--times", type=int, default=8)
    given = parser.parse_args(arguments)
    anyio.run(partial(measure, given.workspace, given.project, given.times, http=given.http))


if __name__ == "__main__":
    main()
