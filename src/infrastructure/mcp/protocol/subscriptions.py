"""Subscriptions to the lists of documents, changed by this server or another process.

The catalogue's version is read only while somebody listens.
"""

import logging
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any, Final

import anyio
import anyio.to_thread
from mcp.server.connection import Connection
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.session import ServerSession
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ResourcesListChanged,
    ResourceUpdated,
)
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
    EmptyResult,
    SubscribeRequestParams,
    SubscriptionsListenRequestParams,
    SubscriptionsListenResult,
    UnsubscribeRequestParams,
)

from citeloom.domain.errors import CiteLoomError
from citeloom.domain.resources.uris import MAX_URI

from .resources import collection_uri

if TYPE_CHECKING:
    from anyio.abc import TaskGroup

    from citeloom.application.ports.catalogue import Catalogue
    from citeloom.infrastructure.serving.served import ServedParts

_SECONDS: Final = 2.0
_MOST_URIS: Final = 1000  # of a connection
_log: Final = logging.getLogger(__name__)


class ListSubscriptions:
    """Tells listeners that documents were added to a project, changed or removed: each of what its
    principal sees."""

    def __init__(self, parts: "ServedParts", *, seconds: float = _SECONDS) -> None:
        self._parts = parts
        self._seconds = seconds
        self._listeners: dict[str, Listeners] = {}
        self._tasks: TaskGroup | None = None

    @asynccontextmanager
    async def lifespan(self, _server: Server[Any]) -> AsyncIterator[dict[str, Any]]:
        """Watches as long as the server runs, which may be in one loop after another."""
        async with anyio.create_task_group() as tasks:
            self._tasks, self._listeners = tasks, {}
            try:
                yield {}
            finally:
                self._tasks = None
                tasks.cancel_scope.cancel()

    async def listen(
        self, context: ServerRequestContext[Any], params: SubscriptionsListenRequestParams
    ) -> SubscriptionsListenResult:
        return await self._of(context).listen(context, params)

    async def subscribe(
        self, context: ServerRequestContext[Any], params: SubscribeRequestParams
    ) -> EmptyResult:
        """For revisions before 2026-07-28. What is not a list of documents never changes. Raises
        MCPError for a URI that is too long."""
        if len(params.uri) > MAX_URI:
            raise MCPError(INVALID_PARAMS, f"uri: has more than {MAX_URI} characters")
        self._of(context).subscribe(context.session, params.uri)
        return EmptyResult()

    async def unsubscribe(
        self, context: ServerRequestContext[Any], params: UnsubscribeRequestParams
    ) -> EmptyResult:
        self._of(context).unsubscribe(context.session, params.uri)
        return EmptyResult()

    def _of(self, context: ServerRequestContext[Any]) -> "Listeners":
        """The listeners of the calling principal."""
        served, name = self._parts.of(context), self._parts.name_of(context)
        if name not in self._listeners:
            assert self._tasks is not None, "requests come while the server runs"
            self._listeners[name] = Listeners(served.application.stores.catalogue, self._seconds)
            self._tasks.start_soon(self._listeners[name].watch)
        return self._listeners[name]


class Listeners:
    """Those of one principal, over the catalogue that it sees, which is asked every so many
    ``seconds`` while one listens."""

    def __init__(self, catalogue: "Catalogue", seconds: float) -> None:
        self._catalogue = catalogue
        self._seconds = seconds
        self._bus = InMemorySubscriptionBus()
        self._listen = ListenHandler(self._bus)
        self._connections: dict[Connection, tuple[ServerSession, set[str]]] = {}
        self._listening = 0
        self._begun = anyio.Event()

    async def listen(
        self, context: ServerRequestContext[Any], params: SubscriptionsListenRequestParams
    ) -> SubscriptionsListenResult:
        with self._counted():
            return await self._listen(context, params)

    def subscribe(self, session: ServerSession, uri: str) -> None:
        connection = session._connection  # the SDK has no public name for it
        if connection not in self._connections:
            self._connections[connection] = (session, set())
            connection.exit_stack.callback(self._connections.pop, connection, None)
        uris = self._connections[connection][1]
        if len(uris) < _MOST_URIS:
            uris.add(uri)
        self._begun.set()

    def unsubscribe(self, session: ServerSession, uri: str) -> None:
        _, uris = self._connections.get(session._connection, (None, set[str]()))
        uris.discard(uri)

    async def watch(self) -> None:
        """Tell of changes, until it is cancelled."""
        while True:
            await self._begun.wait()
            known = await self._versions()
            while self._is_wanted:
                await anyio.sleep(self._seconds)
                current = await self._versions()
                if known is not None and current is not None:
                    await self._tell(known, current)
                known = current if current is not None else known
            self._begun = anyio.Event()

    @contextmanager
    def _counted(self) -> Iterator[None]:
        self._listening += 1
        self._begun.set()
        try:
            yield
        finally:
            self._listening -= 1

    @property
    def _is_wanted(self) -> bool:
        return self._listening > 0 or any(uris for _, uris in self._connections.values())

    async def _versions(self) -> Mapping[str, str] | None:
        """The version of each project, by the URI of its list; None where it cannot be read."""
        try:
            return await anyio.to_thread.run_sync(self._read, abandon_on_cancel=True)
        except CiteLoomError as error:
            _log.warning("citeloom mcp: the catalogue cannot be watched: %s", error.message)
            return None

    def _read(self) -> Mapping[str, str]:
        return {
            collection_uri(project.id): self._catalogue.version(project.id)
            for project in self._catalogue.projects()
        }

    async def _tell(self, before: Mapping[str, str], after: Mapping[str, str]) -> None:
        changed = [uri for uri in {**before, **after} if before.get(uri) != after.get(uri)]
        if not changed:
            return
        for uri in changed:
            await self._bus.publish(ResourceUpdated(uri=uri))
        await self._bus.publish(ResourcesListChanged())
        for session, uris in list(self._connections.values()):
            for uri in changed:
                if uri in uris:
                    await session.send_resource_updated(uri)
