"""One client's session: what each message of the protocol does."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

from lsprotocol import types
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from citeloom.domain.errors import CiteLoomError, ConfigurationError
from citeloom.domain.verification.drafts.draft import Verification

from . import answers as actions
from . import answers as completion
from . import answers as hover
from . import answers as lookups
from . import answers as pages
from .answers import diagnostics
from .buffers import Buffer, OpenDraft, OpenDrafts
from .checks import Checks, Notices
from .desk import Desk, OpenWorkspace, open_desk


class LspOptions(BaseModel):
    """``project`` and ``workspace`` as on the command line. ``definition`` of a citation is a
    *location* (the file, for the editor to open) or the *viewer* that the system has for it."""

    model_config = ConfigDict(frozen=True, extra="forbid", alias_generator=to_camel)

    project: str | None = Field(default=None, min_length=1)
    workspace: str | None = Field(default=None, min_length=1)
    verify_on_save: bool = True
    definition: Literal["location", "viewer"] = "location"


def read_options(given: Any) -> tuple[LspOptions, str | None]:
    """The valid options, and the faults of the others."""
    if given is not None and not isinstance(given, Mapping):
        return LspOptions(), "initializationOptions: must be an object"
    named = dict(given or {})
    try:
        return LspOptions.model_validate(named), None
    except ValidationError as error:
        wrong = {str(one["loc"][0]): one["msg"] for one in error.errors()}
        known = ", ".join(to_camel(field) for field in LspOptions.model_fields)
        reasons = "; ".join(f"{name}: {reason}" for name, reason in wrong.items())
        right = {name: value for name, value in named.items() if name not in wrong}
        return LspOptions.model_validate(right), (
            f"initializationOptions: {reasons}; there are {known}"
        )


_ANSWERING: Final = 4
# Seconds without a change after which the findings of a changed paragraph are looked up.
_PAUSE: Final = 0.6
# Seconds after which the library is looked at again, while it is asked.
_FRESH: Final = 30.0

_T = TypeVar("_T")
_log: Final = logging.getLogger(__name__)


class ClientSession:
    """Handlers run on the loop; what blocks runs in threads. Without a desk all answers are
    empty."""

    def __init__(
        self,
        server: LanguageServer,
        open_workspace: OpenWorkspace,
        project: str | None,
        notices: Notices,
    ) -> None:
        self._server = server
        self._notices = notices
        self._open_workspace = open_workspace
        self._project = project
        self._options = LspOptions()
        self._folder: Path | None = None
        self._desk: Desk | None = None
        self._opening: asyncio.Task[None] | None = None
        self._threads = ThreadPoolExecutor(_ANSWERING, thread_name_prefix="answers")
        self._background = ThreadPoolExecutor(1, thread_name_prefix="background")
        self._drafts = OpenDrafts()
        self._checks = Checks(server, self._checked, notices)
        self._pauses: dict[str, asyncio.TimerHandle] = {}
        self._seen = 0.0

    # Beginning and end

    def initialize(self, params: types.InitializeParams) -> None:
        self._options, problem = read_options(params.initialization_options)
        if problem:
            self._notices.warn(problem)
        self._folder = _folder(params)

    def begin(self) -> None:
        """Open the workspace in the background."""
        if self._opening is None or (self._opening.done() and self._desk is None):
            self._opening = asyncio.create_task(self._open())

    def end(self, seconds: float) -> bool:
        """Stop the running work; returns whether it ended in time."""
        ended = self._checks.end(seconds)
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._background.shutdown(wait=False, cancel_futures=True)
        if self._desk is not None:
            self._desk.application.close()
        return ended

    async def _open(self) -> None:
        loop = asyncio.get_running_loop()
        options = self._options
        try:
            self._desk = await loop.run_in_executor(
                self._background,
                open_desk,
                self._open_workspace,
                options.workspace,
                self._folder,
                options.project or self._project,
            )
        except (CiteLoomError, OSError) as error:
            self._notices.warn(error)
            return
        except Exception as error:
            _log.exception("citeloom lsp")
            self._notices.warn(
                f"unexpected {type(error).__name__}; the server's log has the details"
            )
            return
        self._seen = loop.time()
        self._background.submit(self._desk.warm_up)
        for uri in self._drafts.uris():
            self._look_up(uri)

    # Documents

    def did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        encoding = self._server.workspace.position_encoding or types.PositionEncodingKind.Utf16
        if self._drafts.open(params.text_document, encoding) is not None:
            self.begin()
            self._look_up(params.text_document.uri)

    def did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        before = self._drafts.get(params.text_document.uri)
        draft = self._drafts.change(params.text_document, params.content_changes)
        if draft is None or before is None:
            return
        if len(draft.findings) < len(before.findings):
            self._publish(draft)
        self._pause(params.text_document.uri)

    async def did_save(self, params: types.DidSaveTextDocumentParams) -> None:
        uri = params.text_document.uri
        if uri in self._drafts:
            self.begin()
            if self._options.verify_on_save:
                await self.verify(uri)

    def did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        self._checks.stop(uri)
        if pause := self._pauses.pop(uri, None):
            pause.cancel()
        if self._drafts.close(uri):
            self._send_diagnostics(uri, None, [])

    # Questions

    async def completion(self, params: types.CompletionParams) -> types.CompletionList | None:
        draft = self._drafts.get(params.text_document.uri)
        if draft is None:
            return None
        buffer, offset = draft.buffer, draft.buffer.offset(params.position)
        found = completion.typed_at(buffer, offset)
        if found is None:
            return None
        return await self._answer(lambda desk: completion.completions(desk, buffer, offset, found))

    async def hover(self, params: types.HoverParams) -> types.Hover | None:
        draft = self._drafts.get(params.text_document.uri)
        if draft is None:
            return None
        offset = draft.buffer.offset(params.position)
        markdown = _shows_markdown(self._server.client_capabilities)
        return await self._answer(lambda desk: hover.hover(desk, draft, offset, markdown=markdown))

    async def definition(
        self, params: types.DefinitionParams
    ) -> types.Location | list[types.Location] | None:
        place = await self._page(params.text_document.uri, params.position)
        if place is None:
            return None
        if self._options.definition == "viewer" and await self._show(place):
            return []
        start = types.Position(0, 0)
        return types.Location(uri=place, range=types.Range(start, start))

    async def code_action(
        self, params: types.CodeActionParams
    ) -> list[types.Command | types.CodeAction] | None:
        draft = self._drafts.get(params.text_document.uri)
        if draft is None:
            return None
        asked = actions.Asked.of(draft.buffer, params, self._server.client_capabilities)
        return await self._answer(lambda desk: actions.actions(desk, draft, asked))

    async def open_page(self, uri: str, position: types.Position) -> bool:
        """The command ``citeloom.open``."""
        place = await self._page(uri, position)
        return place is not None and await self._show(place)

    async def verify(self, uri: str) -> None:
        """The command ``citeloom.verify``, and each save."""
        desk, draft = await self._opened(), self._drafts.get(uri)
        if draft is not None and desk is not None:
            self._refresh(desk)
            self._checks.start(desk, draft.buffer)

    async def _page(self, uri: str, position: types.Position) -> str | None:
        draft = self._drafts.get(uri)
        if draft is None:
            return None
        offset = draft.buffer.offset(position)
        return await self._answer(lambda desk: pages.page_uri(desk, draft, offset))

    async def _show(self, uri: str) -> bool:
        """Whether the client opened it outside of the editor."""
        window = self._server.client_capabilities.window
        if window is None or window.show_document is None or not window.show_document.support:
            return False
        shown = await self._server.window_show_document_async(
            types.ShowDocumentParams(uri=uri, external=True)
        )
        return shown.success

    async def _opened(self) -> Desk | None:
        """The desk, once the workspace has been opened."""
        if self._opening is not None:
            await asyncio.shield(self._opening)
        return self._desk

    async def _answer(self, ask: Callable[[Desk], _T]) -> _T | None:
        """The answer from a thread; None without a desk, and where it is not available now."""
        desk = await self._opened()
        if desk is None:
            return None
        loop = asyncio.get_running_loop()
        if loop.time() - self._seen > _FRESH:
            self._refresh(desk)
        try:
            return await loop.run_in_executor(self._threads, ask, desk)
        except (CiteLoomError, OSError) as error:
            self._notices.log(error)
        except Exception:  # an editor that is told of it would show it with each key
            _log.exception("citeloom lsp")
        return None

    # Findings

    def _look_up(self, uri: str) -> None:
        """Look the findings of a whole draft up in the cache, and publish them."""
        self._later(uri, lookups.of_text)

    def _pause(self, uri: str) -> None:
        if pause := self._pauses.pop(uri, None):
            pause.cancel()
        loop = asyncio.get_running_loop()
        self._pauses[uri] = loop.call_later(_PAUSE, self._later, uri, lookups.of_touched)

    def _later(self, uri: str, look_up: "lookups.LookUp") -> None:
        self._pauses.pop(uri, None)
        draft, desk = self._drafts.get(uri), self._desk
        if draft is None or desk is None:
            return
        loop = asyncio.get_running_loop()
        found = loop.run_in_executor(self._background, look_up, desk, draft)
        found.add_done_callback(lambda done: self._found(draft.buffer, done))

    def _found(self, buffer: Buffer, done: "asyncio.Future[Any]") -> None:
        if done.cancelled():
            return
        if (error := done.exception()) is not None:
            if isinstance(error, ConfigurationError):
                self._notices.warn(error)
            else:
                _log.warning("citeloom lsp: %s", error)
            return
        draft = self._drafts.found(buffer, done.result())
        if draft is not None:
            self._publish(draft)

    async def _checked(self, buffer: Buffer, result: Verification | None) -> None:
        for uri in self._drafts.uris():
            self._look_up(uri)
        desk = self._desk
        if result is None or desk is None:
            return
        encoding = buffer.encoding
        included = await asyncio.get_running_loop().run_in_executor(
            self._background, lookups.of_included_files, result, encoding
        )
        for part, found in included:
            if part.uri not in self._drafts:
                self._send_diagnostics(part.uri, None, found)

    def _publish(self, draft: OpenDraft) -> None:
        buffer = draft.buffer
        self._send_diagnostics(buffer.uri, buffer.version, diagnostics(buffer, draft.findings))

    def _send_diagnostics(
        self, uri: str, version: int | None, found: list[types.Diagnostic]
    ) -> None:
        self._server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri=uri, version=version, diagnostics=found)
        )

    def _refresh(self, desk: Desk) -> None:
        self._seen = asyncio.get_running_loop().time()
        self._background.submit(_quietly, desk.refresh)


def _quietly(work: Callable[[], object]) -> None:
    try:
        work()
    except (CiteLoomError, OSError) as error:
        _log.warning("citeloom lsp: %s", error)


def _folder(params: types.InitializeParams) -> Path | None:
    """The folder that the editor has open."""
    folders = [one.uri for one in params.workspace_folders or ()]
    root = folders[0] if folders else params.root_uri
    path = to_fs_path(root) if root else params.root_path
    return Path(path) if path else None


def _shows_markdown(client: types.ClientCapabilities) -> bool:
    """The default for a client that does not say."""
    document = client.text_document
    formats = document.hover.content_format if document and document.hover else None
    return not formats or types.MarkupKind.Markdown in formats
