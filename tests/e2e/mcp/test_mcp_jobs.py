"""Jobs of ``citeloom mcp`` through the official client: watched, cancelled, gone on with."""

import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from support.command_line import environment
from support.pdf.written_pdf import Text, write_pdf

NAMES = ("Alders", "Birches", "Cedars", "Dogwoods", "Elms", "Firs")
ENDED = ("done", "cancelled", "failed")
WORDS = "pond heron rush shore water evening wind mud reed frog cold stone".split()


def write_papers(folder: Path) -> None:
    """Six papers, each of which takes a good part of a second to embed."""
    for name in NAMES:
        pages = [
            [
                Text(72, 700 - 14 * row, f"{words(ord(name[0]) * page * row, page)}.")
                for row in range(45)
            ]
            for page in range(1, 4)
        ]
        write_paper(folder, name, *pages)


def words(step: int, number: int) -> str:
    return " ".join(WORDS[(step * k) % len(WORDS)] + str(number) for k in range(12))


def write_paper(folder: Path, name: str, *pages: list[Text]) -> None:
    """A PDF, whose converter begins at once: those of other formats import docling first."""
    first, *others = pages
    write_pdf(folder / f"{name}.pdf", [[Text(72, 740, name, 18, True), *first], *others])


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.structured_content
    assert result.structured_content is not None
    return result.structured_content


async def ended(client: Client, job_id: str) -> dict[str, Any]:
    with anyio.fail_after(120):
        while True:
            told = await call(client, "jobs", job_id=job_id, wait_seconds=5)
            if told["status"] in ENDED:
                return told


async def given_up(client: Client, source: dict[str, str]) -> None:
    """An ingest whose call the client cancels when it hears of the paper that is stored already: a
    call that hears of nothing for some seconds would go on as a job."""
    heard: list[float] = []

    async def hear(done: float, total: float | None, message: str | None) -> None:
        assert total == len(NAMES) + 1
        heard.append(done)
        call_scope.cancel()

    with anyio.CancelScope() as call_scope:
        await client.call_tool("ingest_from_source", source, progress_callback=hear)
        raise AssertionError("it ended before it could be cancelled")
    assert heard[0] >= 1


@pytest.mark.server
def test_an_ingest_is_cancelled_by_its_call_or_its_id_and_goes_on(tmp_path: Path) -> None:
    papers = tmp_path / "papers"
    papers.mkdir()
    write_paper(papers, "Stored", [Text(72, 700, "Ice lies on the pond.")])
    source = {"project": "p", "source": str(papers)}

    async def run() -> None:
        server = StdioServerParameters(
            command=sys.executable,
            args=["-m", "citeloom", "mcp", "--workspace", str(tmp_path)],
            env=environment(),
        )
        async with Client(server) as client:
            await ingested(client, source)
            write_papers(papers)
            await given_up(client, source)
            job = (await call(client, "jobs"))["jobs"][0]
            assert (await ended(client, job["job_id"]))["status"] == "cancelled"

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(client.call_tool, "ingest_from_source", source)
                job = await running(client, papers=2)
                await call(client, "jobs", job_id=job["job_id"], cancel=True)
            assert (await ended(client, job["job_id"]))["status"] == "cancelled"

            new = [name for name in await titles(client) if name in NAMES]
            assert new, "what was finished is kept"
            for name in NAMES:
                if name not in new[:1]:
                    (papers / f"{name}.pdf").unlink()
            write_paper(papers, "Late", [Text(72, 700, "Reeds stand in the wind.")])
            assert await ingested(client, source) == {"unchanged": 2, "added": 1}
            assert [job["status"] for job in (await call(client, "jobs"))["jobs"]] == [
                "done",
                "cancelled",
                "cancelled",
                "done",
            ]

    anyio.run(run)


async def ingested(client: Client, source: dict[str, str]) -> dict[str, int]:
    """How many documents an ingest left in which state, when it has ended."""
    told = await call(client, "ingest_from_source", **source)
    if "job_id" in told:
        told = await ended(client, told["job_id"])
    documents: dict[str, int] = told["documents"]
    return {state: number for state, number in documents.items() if number}


async def titles(client: Client) -> list[str]:
    """Those of the papers that are stored: whichever was converted first."""
    listed = await call(client, "list_documents", project="p")
    return [one["title"] for one in listed["documents"] if one["passages"]]


async def running(client: Client, *, papers: int) -> dict[str, Any]:
    """The job that runs, when it is done with so many papers."""
    with anyio.fail_after(120):
        while True:
            for job in (await call(client, "jobs"))["jobs"]:
                if job["status"] == "running":
                    told = await call(client, "jobs", job_id=job["job_id"])
                    if told.get("documents_done", 0) >= papers:
                        return job
            await anyio.sleep(0.05)
