"""Requests besides tools, each answered from what its principal is served."""

from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.types import (
    CompleteRequestParams,
    CompleteResult,
    ListResourcesResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
)

from citeloom.infrastructure.mcp.protocol.completion import Completions
from citeloom.infrastructure.mcp.protocol.resources import ResourceReader
from citeloom.infrastructure.serving.served import ServedParts


class PrincipalRequests:
    def __init__(self, parts: ServedParts) -> None:
        self._parts = parts

    async def list_resources(
        self, context: ServerRequestContext[Any], params: PaginatedRequestParams | None
    ) -> ListResourcesResult:
        return await self._resources(context).list(context, params)

    async def read_resource(
        self, context: ServerRequestContext[Any], params: ReadResourceRequestParams
    ) -> ReadResourceResult:
        return await self._resources(context).read(context, params)

    async def complete(
        self, context: ServerRequestContext[Any], params: CompleteRequestParams
    ) -> CompleteResult:
        return await Completions(self._parts.of(context))(context, params)

    def _resources(self, context: ServerRequestContext[Any]) -> ResourceReader:
        served = self._parts.of(context)
        return ResourceReader(served.application, served.lanes)
