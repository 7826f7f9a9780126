"""Verification of saved drafts in the background, with progress, which a client can stop."""

import asyncio
import logging
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent import futures
from typing import Final
from uuid import uuid4

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from citeloom.domain.errors import CiteLoomError, NoCitations
from citeloom.domain.verification.drafts.draft import Verification

from .buffers import Buffer
from .desk import Desk

#: A sentence with its next step in words of the driving adapter.
Words = Callable[[str], str]

_log: Final = logging.getLogger(__name__)


class Notices:
    """Notices for subscribers; use them on the loop."""

    def __init__(self, server: LanguageServer, words: Words) -> None:
        self._server = server
        self._words = words
        self._told: set[str] = set()

    def warn(self, problem: Exception | str) -> None:
        self._tell(problem, types.MessageType.Warning)

    def inform(self, text: str) -> None:
        self._tell(text, types.MessageType.Info)

    def log(self, problem: Exception | str) -> None:
        _log.warning("citeloom lsp: %s", self._text(problem))

    def _tell(self, problem: Exception | str, type: types.MessageType) -> None:
        text = self._text(problem)
        if text not in self._told:
            self._told.add(text)
            self.log(problem)
            self._server.window_show_message(types.ShowMessageParams(type, f"citeloom: {text}"))

    def _text(self, problem: Exception | str) -> str:
        sentence = problem.message if isinstance(problem, CiteLoomError) else str(problem)
        return self._words(sentence)


# Seconds between two reports of progress.
_PULSE: Final = 0.2


#: Hears the result of a check; what was checked is in the cache.
Checked = Callable[[Buffer, Verification | None], Awaitable[None]]


class CheckStopped(Exception):
    """A check that the client or a later one stopped."""


class Checks:
    """One draft is checked at a time; of one draft the latest state."""

    def __init__(self, server: LanguageServer, checked: Checked, notices: Notices) -> None:
        self._server = server
        self._notices = notices
        self._checked = checked
        self._thread = futures.ThreadPoolExecutor(max_workers=1, thread_name_prefix="verify")
        self._turn = asyncio.Lock()
        self._running: set[futures.Future[Verification]] = set()
        self._stops: dict[str, threading.Event] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, desk: Desk, buffer: Buffer) -> None:
        """Check a draft; a check of it that runs is stopped."""
        self.stop(buffer.uri)
        stop = self._stops[buffer.uri] = threading.Event()
        task = asyncio.create_task(self._check(desk, buffer, stop))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def stop(self, uri: str) -> None:
        if stop := self._stops.pop(uri, None):
            stop.set()

    def end(self, seconds: float) -> bool:
        """Stop all; whether they have ended in time."""
        for uri in list(self._stops):
            self.stop(uri)
        self._thread.shutdown(wait=False, cancel_futures=True)
        return not futures.wait(self._running, seconds).not_done

    async def _check(self, desk: Desk, buffer: Buffer, stop: threading.Event) -> None:
        async with self._turn:
            if stop.is_set():
                return
            progress = _Progress(self._server)
            await progress.begin("Checking citations")
            result: Verification | None = None
            try:
                if notice := desk.model_notice():
                    self._notices.inform(notice)
                report = progress.reporter(asyncio.get_running_loop(), stop)
                running = self._thread.submit(desk.verify, buffer, report)
                self._running.add(running)
                running.add_done_callback(self._running.discard)
                result = await asyncio.wrap_future(running)
            except CheckStopped:
                pass
            except NoCitations as error:
                _log.info("%s", error)
            except (CiteLoomError, OSError) as error:
                self._notices.warn(error)
            finally:
                progress.end()
                if self._stops.get(buffer.uri) is stop:
                    del self._stops[buffer.uri]
        await self._checked(buffer, result)


class _Progress:
    """Progress of one check, where the client shows it."""

    def __init__(self, server: LanguageServer) -> None:
        self._progress = server.work_done_progress
        window = server.client_capabilities.window
        self._token = uuid4().hex if window and window.work_done_progress else None

    async def begin(self, title: str) -> None:
        if self._token is None:
            return
        try:
            await self._progress.create_async(self._token)
        except Exception as error:  # a client that refuses it gets none
            _log.info("progress: %s", error)
            self._token = None
            return
        self._progress.begin(
            self._token,
            types.WorkDoneProgressBegin(title=title, cancellable=True, percentage=0),
        )

    def reporter(
        self, loop: asyncio.AbstractEventLoop, stop: threading.Event
    ) -> Callable[[int, int], None]:
        """For the thread of the check: notifies the client, and raises CheckStopped."""
        told = 0.0

        def report(done: int, total: int) -> None:
            nonlocal told
            if stop.is_set() or self._cancelled():
                raise CheckStopped
            if self._token is not None and time.monotonic() - told >= _PULSE:
                told = time.monotonic()
                loop.call_soon_threadsafe(self._report, done, total)

        return report

    def end(self) -> None:
        if self._token is not None:
            self._progress.end(self._token, types.WorkDoneProgressEnd())
            self._progress.tokens.pop(self._token, None)

    def _report(self, done: int, total: int) -> None:
        if self._token is not None and self._token in self._progress.tokens:
            self._progress.report(
                self._token,
                types.WorkDoneProgressReport(
                    message=f"{done} of {total}", percentage=100 * done // total
                ),
            )

    def _cancelled(self) -> bool:
        future = self._progress.tokens.get(self._token) if self._token else None
        return future is not None and future.cancelled()
