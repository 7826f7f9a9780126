"""Jobs of ``citeloom mcp`` through the official client: watched, cancelled, gone on with."""

import sys
from pathlib import Path
from typing import Any

import anyio
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from support.command_line import environment

ENDED = ("done", "cancelled", "failed")
PARAGRAPHS = 40
WORDS = "pond heron rush shore water evening wind mud reed frog cold stone".split()


def write_papers(folder: Path) -> None:
    """Six papers, each of which takes a second or more to embed."""
    folder.mkdir()
    for name in "abcdef":
        paragraphs = (
            " ".join(WORDS[(ord(name) * n * k) % len(WORDS)] + str(n) for k in range(120)) + "."
            for n in range(1, PARAGRAPHS + 1)
        )
        (folder / f"{name}.md").write_text(f"# {name}\n\n" + "\n\n".join(paragraphs))


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


async def given_up_after_one(client: Client, source: dict[str, str]) -> None:
    """An ingest whose call the client cancels when it hears that a document is done."""
    heard: list[float] = []

    async def hear(done: float, total: float | None, message: str | None) -> None:
        assert total == 6
        assert message
        heard.append(done)
        if done >= 1:
            call_scope.cancel()

    with anyio.CancelScope() as call_scope:
        await client.call_tool("ingest_from_source", source, progress_callback=hear)
        raise AssertionError("it ended before it could be cancelled")
    assert heard == sorted(set(heard))


def test_an_ingest_is_cancelled_by_its_call_or_its_id_and_goes_on(tmp_path: Path) -> None:
    papers = tmp_path / "papers"
    write_papers(papers)
    source = {"project": "p", "source": str(papers)}

    async def run() -> None:
        server = StdioServerParameters(
            command=sys.executable,
            args=["-m", "citeloom", "mcp", "--workspace", str(tmp_path)],
            env=environment(),
        )
        async with Client(server) as client:
            await given_up_after_one(client, source)
            (job,) = (await call(client, "jobs"))["jobs"]
            told = await ended(client, job["job_id"])
            assert told["status"] == "cancelled"
            assert told["documents_done"] >= 1

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(client.call_tool, "ingest_from_source", source)
                job = await running(client)
                told = await call(client, "jobs", job_id=job["job_id"], cancel=True)
            assert told["status"] == "cancelled"

            for name in "cdef":
                (papers / f"{name}.md").unlink()
            told = await call(client, "ingest_from_source", **source)
            if "job_id" in told:
                told = await ended(client, told["job_id"])
            assert told["documents"].get("unchanged", 0) >= 1
            assert sum(told["documents"].values()) == 2
            assert [job["status"] for job in (await call(client, "jobs"))["jobs"]] == [
                "done",
                "cancelled",
                "cancelled",
            ]

    anyio.run(run)


async def running(client: Client) -> dict[str, Any]:
    """The job that runs and knows its documents."""
    with anyio.fail_after(60):
        while True:
            for job in (await call(client, "jobs"))["jobs"]:
                if job["status"] == "running" and "total" in job:
                    return job
            await anyio.sleep(0.05)
