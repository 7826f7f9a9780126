"""The language server on pygls, over standard input and output.

Language Server Protocol 3.17.
"""

import logging
import os
import signal
import sys
import threading
import time
from functools import partial
from typing import Any, BinaryIO, Final

from lsprotocol import types
from pygls.lsp.server import LanguageServer

import citeloom
from citeloom.infrastructure.system.clock import threads_end
from citeloom.infrastructure.system.processes import process_runs

from . import answers as actions
from . import answers as completion
from .checks import Notices, Words
from .desk import OpenWorkspace
from .session import ClientSession

_POLL_SECONDS: Final = 2.0
_log: Final = logging.getLogger(__name__)


def take_streams() -> tuple[BinaryIO, BinaryIO]:
    """The input and output of the protocol, which nothing else has from here on: what libraries
    and programs print goes to standard error, and they find no input."""
    incoming = os.fdopen(os.dup(0), "rb")
    outgoing = os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    return incoming, outgoing


def end_with(process_id: int | None) -> None:
    """End this process when the client's is no more: its pipe may be held open by others. A
    process that cannot be seen from here (another machine or container) is not waited for."""
    # Windows has no harmless signal; the end of the input must do there.
    if process_id is None or os.name == "nt" or not process_runs(process_id):
        return
    watcher = threading.Thread(
        target=_watch, args=(process_id,), name="parent-watcher", daemon=True
    )
    watcher.start()


def _watch(process_id: int) -> None:
    while process_runs(process_id):
        time.sleep(_POLL_SECONDS)
    _log.warning("citeloom lsp: the client is gone")
    os._exit(1)


# Editors wait about a second for a server that they have told to end.
_GRACE_SECONDS: Final = 0.7


class DraftServer(LanguageServer):
    """``ended`` is set by ``exit``, ``asked_to_end`` by the ``shutdown`` before it."""

    def __init__(self) -> None:
        super().__init__(
            "citeloom",
            citeloom.__version__,
            text_document_sync_kind=types.TextDocumentSyncKind.Incremental,
        )
        self.asked_to_end = False
        self.ended = False

    def report_server_error(self, error: Exception, _source: Any) -> None:
        """Log the error; the session shows what concerns a person."""
        _log.warning("citeloom lsp: %s", error)

    def shutdown(self) -> None:
        """Shut down without waiting for the thread that reads the input, which may never end."""
        if self._stop_event is not None:
            self._stop_event.set()
        if self._thread_pool is not None:
            self._thread_pool.shutdown(wait=False)


def serve(open_workspace: OpenWorkspace, project: str | None, words: Words) -> int:
    """Serve until the client ends it or is gone; the exit code (LSP 3.17, "Exit Notification":
    0 after a shutdown request, else 1; 0 too when the input ends)."""
    logging.getLogger("pygls").setLevel(logging.ERROR)
    # Threads that compute let the one that answers in sooner.
    sys.setswitchinterval(0.001)
    signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    incoming, outgoing = take_streams()
    server = DraftServer()
    session = ClientSession(server, open_workspace, project, Notices(server, words))
    _register(server, session)
    server.start_io(incoming, outgoing)
    code = 1 if server.ended and not server.asked_to_end else 0
    deadline = time.monotonic() + _GRACE_SECONDS
    if not session.end(_GRACE_SECONDS) or not threads_end(deadline):
        _log.warning("citeloom lsp: ended in the middle of its work")
        os._exit(code)
    return code


def _register(server: DraftServer, session: ClientSession) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        end_with(params.process_id)
        session.initialize(params)

    @server.feature(types.INITIALIZED)
    def initialized(_params: types.InitializedParams) -> None:
        session.begin()

    @server.feature(types.SHUTDOWN)
    def shutdown(*_: Any) -> None:
        server.asked_to_end = True

    @server.feature(types.EXIT)
    def leave(*_: Any) -> None:
        server.ended = True

    for method, answer, *options in (
        (types.TEXT_DOCUMENT_DID_OPEN, session.did_open),
        (types.TEXT_DOCUMENT_DID_CHANGE, session.did_change),
        (types.TEXT_DOCUMENT_DID_SAVE, session.did_save),
        (types.TEXT_DOCUMENT_DID_CLOSE, session.did_close),
        (
            types.TEXT_DOCUMENT_COMPLETION,
            session.completion,
            types.CompletionOptions(trigger_characters=list(completion.TRIGGERS)),
        ),
        (types.TEXT_DOCUMENT_HOVER, session.hover),
        (types.TEXT_DOCUMENT_DEFINITION, session.definition),
        (
            types.TEXT_DOCUMENT_CODE_ACTION,
            session.code_action,
            types.CodeActionOptions(code_action_kinds=list(actions.KINDS)),
        ),
    ):
        # pygls marks what it registers, and a method cannot be marked.
        server.feature(method, *options)(partial(answer))

    @server.command(actions.VERIFY)
    async def verify(uri: str) -> None:
        await session.verify(uri)

    @server.command(actions.OPEN)
    async def open_page(uri: str, position: types.Position) -> bool:
        return await session.open_page(uri, position)
