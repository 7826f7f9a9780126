"""The HTTP server of a world, in this process."""

import asyncio
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import uvicorn.server
from support.world import World

from citeloom.infrastructure.composition.application import Application
from citeloom.infrastructure.http.serving import http_app
from citeloom.infrastructure.serving.extension import server_extension
from citeloom.infrastructure.serving.http import ServerNames
from citeloom.infrastructure.serving.serving import Serving


async def _a_tenth(seconds: float) -> None:
    await asyncio.sleep(seconds / 10)


# uvicorn looks every 0.1 s whether it is to end, and for as long whether it has: hundreds of
# servers end here.
uvicorn.server.asyncio = SimpleNamespace(**(vars(asyncio) | {"sleep": _a_tenth}))


@contextmanager
def serving(
    world: World,
    token: str = "",
    application: Application | None = None,
    secret: str | None = None,
    names: Sequence[str] = (),
) -> Iterator[str]:
    """The address of a server on loopback, also under ``names``, while the block runs."""
    with serving_application(application or world.application, token, secret, names) as address:
        yield address


@contextmanager
def serving_application(
    application: Application,
    token: str = "",
    secret: str | None = None,
    names: Sequence[str] = (),
) -> Iterator[str]:
    served = server_extension(application).serving()
    with started(application, served, token, secret, names) as address:
        yield address


@contextmanager
def started(
    application: Application,
    served: Serving,
    token: str = "",
    secret: str | None = None,
    names: Sequence[str] = (),
) -> Iterator[str]:
    with running(http_app(application, served, ServerNames(names), token, secret)) as address:
        yield address


@contextmanager
def running(app: Any) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(uvicorn.Config(app, log_config=None, timeout_graceful_shutdown=1))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        while not server.started:
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(10)
        assert not thread.is_alive()
