"""Lists, prompts, completion and subscriptions, through the official client."""

import base64
import re
from collections.abc import Awaitable, Callable
from itertools import count
from types import SimpleNamespace
from typing import Any, cast

import anyio
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS, PromptReference, ResourceTemplateReference
from support.cases import each
from support.world import GRIDS, PONDS, World, an_item

from citeloom.infrastructure.mcp.protocol import resources as listing
from citeloom.infrastructure.mcp.protocol.prompts import PROMPTS
from citeloom.infrastructure.mcp.protocol.subscriptions import ListSubscriptions
from citeloom.infrastructure.mcp.server import build_server
from citeloom.infrastructure.mcp.tools import TOOLS, offered_tools
from citeloom.infrastructure.serving.served import Served, ServedParts

_CALLED = re.compile(r"\b[Cc]all (\w+)|\b(\w+) (?:asks|checks)\b")
COLLECTION = "ndk://file/proj-local-thesis/-/$collection"


@pytest.fixture
def server(world: World) -> Any:
    world.write("ponds.md", PONDS)
    world.write("grids.md", GRIDS)
    library = world.cite(
        an_item("ponds2020", "10.5555/ponds", 2020), an_item("grids2011", "10.5555/grids", 2011)
    )
    world.ingest(references=library)
    application = world.application
    sessions = SimpleNamespace(list=lambda _: ())
    read = SimpleNamespace(
        stores=application.stores,
        resources=application.resources,
        maps=application.maps,
        research=SimpleNamespace(sessions=sessions),
    )
    nothing = cast(Any, None)
    return build_server(ServedParts(Served(cast(Any, read), nothing, nothing, patience=0.0)))


def asked(server: Any, ask: Callable[[Client], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        async with Client(server) as client:
            return await ask(client)

    return anyio.run(run)


def test_documents_are_listed_page_by_page(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "PAGE", 2)

    async def ask(client: Client) -> list[Any]:
        first = await client.list_resources()
        assert first.next_cursor is not None
        second = await client.list_resources(cursor=first.next_cursor)
        assert second.next_cursor is None
        with pytest.raises(MCPError) as refused:
            await client.list_resources(cursor="bm9uZQ==")
        assert refused.value.error.code == INVALID_PARAMS
        return [*first.resources, *second.resources]

    project, *documents = asked(server, ask)
    assert project.uri == COLLECTION
    assert {one.name for one in documents} == {"ponds2020", "grids2011"}
    assert all(one.title.startswith("The paper") for one in documents)


def test_a_resource_that_is_not_there_has_the_code_of_the_revision(server: Any) -> None:
    reader = server.get_request_handler("resources/read").handler

    def code(revision: str) -> int:
        params = SimpleNamespace(uri="ndk://file/proj-local-thesis/beef000000000000/$body")
        with pytest.raises(MCPError) as refused:
            anyio.run(reader, SimpleNamespace(protocol_version=revision), params)
        return refused.value.error.code

    assert code("2025-11-25") == code("2024-11-05") == -32002
    assert code("2026-07-28") == INVALID_PARAMS


def test_files_are_handed_over_and_nothing_else_is(server: Any, world: World) -> None:
    evidence = world.application.workspace.evidence
    evidence.mkdir(parents=True)
    (evidence / "cut me.pdf").write_bytes(b"%PDF")
    (world.folder / "citeloom.toml").write_text("secret")
    (stored,) = (one for one in world.stored() if "ponds" in (one.path or ""))

    async def ask(client: Client) -> None:
        (cut,) = (await client.read_resource("citeloom://evidence/cut%20me.pdf")).contents
        assert base64.b64decode(cast(Any, cut).blob) == b"%PDF"
        uri = f"citeloom://sources/{stored.document_id[:16]}"
        (source,) = (await client.read_resource(uri)).contents
        assert base64.b64decode(cast(Any, source).blob).decode() == PONDS
        for name in ("..%2Fciteloom.toml", "%2e%2e", "..%5Cciteloom.toml", ".hidden", "no.pdf"):
            with pytest.raises(MCPError):
                await client.read_resource(f"citeloom://evidence/{name}")
        world.write("ponds.md", "changed")
        with pytest.raises(
            MCPError, match="changed since it was ingested; ingest it again; open_page has its text"
        ):
            await client.read_resource(uri)

    asked(server, ask)


@each(
    ("chosen", "prompts"),
    [
        (
            ("query_hybrid",),
            ["literature_review", "contradicting_evidence", "summarise_highlights"],
        ),
        (("verify", "cite"), ["check_draft"]),
        (("query", "list_projects"), []),
        (("list_documents",), []),
    ],
)
def test_instructions_and_prompts_name_chosen_tools_alone(
    chosen: tuple[str, ...], prompts: list[str]
) -> None:
    nothing = cast(Any, None)
    tools = offered_tools(read_only=False, names=chosen)
    server = build_server(ServedParts(Served(nothing, nothing, nothing, patience=0.0)), tools)
    given = {"question": "Do ponds cool?", "text": "Ponds cool.", "claim": "Ponds cool."}

    async def ask() -> list[str]:
        async with Client(server) as client:
            listed = (await client.list_prompts()).prompts
            assert [one.name for one in listed] == prompts
            with pytest.raises(MCPError, match="no such prompt"):
                await client.get_prompt("check_draft" if "verify" not in chosen else "nope", {})
            texts = [client.instructions or ""]
            for one in listed:
                names = [argument.name for argument in one.arguments or ()]
                arguments = {name: text for name, text in given.items() if name in names}
                (message,) = (await client.get_prompt(one.name, arguments)).messages
                texts.append(cast(Any, message.content).text)
            return texts

    told = anyio.run(ask)
    for text in told:
        # Some tools have the names of ordinary words: "cite it" names none.
        words = {word for word in re.findall(r"\w+", text) if word in TOOLS and "_" in word}
        words |= {match[1] or match[2] for match in _CALLED.finditer(text)}
        assert words <= set(chosen)
        numbers = re.findall(r"^(\d+)\. ", text, re.MULTILINE)
        assert numbers == [str(number) for number in range(1, len(numbers) + 1)]
    assert all(name in told[0] for name in chosen if name in ("query_hybrid", "query", "verify"))


def test_prompts_name_tools_that_there_are_and_refuse_bad_arguments(server: Any) -> None:
    given = {
        "literature_review": {"question": "Do ponds cool?", "project": "p", "style": "ieee"},
        "check_draft": {"text": "Ponds cool [@ponds2020]."},
        "contradicting_evidence": {"claim": "Ponds cool."},
        "summarise_highlights": {"document": "ponds2020", "section": "Results"},
    }

    async def ask(client: Client) -> None:
        assert [one.name for one in (await client.list_prompts()).prompts] == list(given)
        for name, arguments in given.items():
            (message,) = (await client.get_prompt(name, arguments)).messages
            text = cast(Any, message.content).text
            assert all(value in text for value in arguments.values())
            words = {word.strip(".,;:") for word in text.split()}
            assert {"query_hybrid", "verify"} & words <= set(TOOLS)
            assert {"query_hybrid", "verify"} & words
        for name, wrong in (
            ("nope", {}),
            ("literature_review", {}),
            ("literature_review", {"question": "x", "colour": "red"}),
            ("check_draft", {"text": "a", "path": "/b"}),
            ("contradicting_evidence", {"claim": " "}),
        ):
            with pytest.raises(MCPError) as refused:
                await client.get_prompt(name, wrong)
            assert refused.value.error.code == INVALID_PARAMS

    asked(server, ask)
    assert all(prompt.title and prompt.description for prompt in PROMPTS.values())


@pytest.mark.parametrize(
    ("name", "begun", "values"),
    [
        ("project", "", ["local/thesis"]),
        ("project", "local/th", ["local/thesis"]),
        ("project", "Th", ["local/thesis"]),
        ("document", "pon", ["ponds2020"]),
        ("section", "res", ["Results"]),
        ("style", "i", ["ieee"]),
        ("question", "", []),
    ],
)
def test_arguments_of_prompts_are_completed(
    server: Any, name: str, begun: str, values: list[str]
) -> None:
    reference = PromptReference(type="ref/prompt", name="summarise_highlights")

    async def ask(client: Client) -> list[str]:
        argument, known = {"name": name, "value": begun}, {"document": "ponds2020"}
        told = await client.complete(reference, argument, context_arguments=known)
        return list(told.completion.values)

    assert asked(server, ask) == values


def test_arguments_of_uris_are_ids(server: Any, world: World) -> None:
    reference = ResourceTemplateReference(
        type="ref/resource", uri="ndk://file/{project}/{document}/$body"
    )
    (stored,) = (one for one in world.stored() if "ponds" in (one.path or ""))

    async def ask(client: Client) -> tuple[list[str], list[str]]:
        projects = await client.complete(reference, {"name": "project", "value": "proj"})
        documents = await client.complete(
            reference,
            {"name": "document", "value": "ponds"},
            context_arguments={"project": "proj-local-thesis"},
        )
        return list(projects.completion.values), list(documents.completion.values)

    assert asked(server, ask) == (["proj-local-thesis"], [stored.document_id[:16]])


def test_listeners_hear_of_documents_and_the_catalogue_rests_otherwise(world: World) -> None:
    world.write("ponds.md", PONDS)
    world.ingest()
    catalogue, looked = world.application.stores.catalogue, 0

    class Counting:
        def projects(self) -> Any:
            return catalogue.projects()

        def version(self, project_id: Any) -> str:
            nonlocal looked
            looked += 1
            return catalogue.version(project_id)

    stores = SimpleNamespace(catalogue=Counting())
    served = cast(Served, SimpleNamespace(application=SimpleNamespace(stores=stores)))
    subscriptions, heard = ListSubscriptions(ServedParts(served), seconds=0.01), list[str]()
    came = anyio.Event()

    class Session:
        async def send_resource_updated(self, uri: str) -> None:
            heard.append(uri)
            came.set()

    async def run() -> None:
        from contextlib import AsyncExitStack

        async with AsyncExitStack() as stack, subscriptions.lifespan(cast(Any, None)):
            session = cast(Any, Session())
            session._connection = SimpleConnection(stack)
            context = cast(Any, SimpleNamespace(session=session, protocol_version="2025-11-25"))
            params = cast(Any, SimpleNamespace(uri=COLLECTION))
            await anyio.sleep(0.05)
            assert looked == 0
            await subscriptions.subscribe(context, params)
            while looked < 2:
                await anyio.sleep(0.01)
            assert heard == []
            world.write("grids.md", GRIDS)
            world.ingest()
            with anyio.fail_after(10):
                await came.wait()
            await subscriptions.unsubscribe(context, params)
            await anyio.sleep(0.05)
            before = looked
            await anyio.sleep(0.05)
            assert looked == before
            long = cast(Any, SimpleNamespace(uri=f"ndk://{'x' * 5000}"))
            with pytest.raises(MCPError, match="more than"):
                await subscriptions.subscribe(context, long)

    anyio.run(run)
    assert set(heard) == {COLLECTION}


class SimpleConnection:
    """A connection with what ends with it."""

    def __init__(self, stack: Any) -> None:
        self.exit_stack = stack


def test_a_client_of_the_newest_revision_hears_that_the_list_changed(
    server: Any, world: World
) -> None:
    async def change() -> None:
        for number in count():  # the server may have its first look after the first change
            world.write(f"new{number}.md", f"# New {number}\n\nA new text.\n")
            await anyio.to_thread.run_sync(world.ingest)
            await anyio.sleep(0.2)

    async def ask(client: Client) -> Any:
        async with client.listen(resource_subscriptions=[COLLECTION]) as heard:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(change)
                with anyio.fail_after(15):
                    event = await anext(aiter(heard))
                tasks.cancel_scope.cancel()
            return event

    event = asked(server, ask)
    assert event.uri == COLLECTION
