"""An editor: pygls' own client, which talks to ``citeloom lsp`` as a subprocess."""

import asyncio
import sys
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types
from pygls.lsp.client import LanguageClient
from support.command_line import environment

_T = TypeVar("_T")
_PATIENCE = 120.0


class Editor:
    """One client of one server. All documents are named by their URI; a place in one by the text
    that stands before it."""

    def __init__(
        self,
        folder: Path,
        *arguments: str,
        options: Any = None,
        encodings: list[str] | None = None,
        parent: int | None = None,
        **variables: str,
    ) -> None:
        self.published: dict[str, types.PublishDiagnosticsParams] = {}
        self.messages: list[str] = []
        self.progress: list[Any] = []
        self.shown: list[str] = []
        self.errors = ""
        self.texts: dict[str, str] = {}
        self._unit = "utf-8" if encodings and encodings[0] == "utf-8" else "utf-16-le"
        self._loop = asyncio.new_event_loop()
        self._news = threading.Condition()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        self.client = LanguageClient("editor", "1")
        self._listen()
        command = ["-m", "citeloom", "lsp", *arguments]
        self._run(
            self.client.start_io(
                sys.executable, *command, env=environment(**variables), cwd=str(folder)
            )
        )
        self.process = self.client._server
        assert self.process is not None
        self._loop.call_soon_threadsafe(self._loop.create_task, self._read_errors())
        self.capabilities = self._run(
            self.client.initialize_async(
                types.InitializeParams(
                    process_id=parent,
                    capabilities=_client(encodings),
                    root_uri=folder.as_uri(),
                    initialization_options=options,
                )
            )
        ).capabilities
        self._do(lambda: self.client.initialized(types.InitializedParams()))

    # Documents

    def open(self, path: Path, text: str, language: str = "markdown") -> str:
        uri = path.as_uri()
        self.texts[uri] = text
        item = types.TextDocumentItem(uri, language, 1, text)
        self._do(lambda: self.client.text_document_did_open(types.DidOpenTextDocumentParams(item)))
        return uri

    def type(self, uri: str, after: str, text: str, *, over: str = "") -> None:
        """Put ``text`` after (the first) ``after``, in place of ``over``."""
        offset = self.texts[uri].index(after + over) + len(after)
        whole = self.texts[uri]
        change = types.TextDocumentContentChangePartial(
            types.Range(self._position(whole, offset), self._position(whole, offset + len(over))),
            text,
        )
        self.texts[uri] = whole[:offset] + text + whole[offset + len(over) :]
        document = types.VersionedTextDocumentIdentifier(2, uri)
        params = types.DidChangeTextDocumentParams(document, [change])
        self._do(lambda: self.client.text_document_did_change(params))

    def save(self, uri: str, path: Path | None = None) -> None:
        if path is not None:
            path.write_text(self.texts[uri], encoding="utf-8")
        params = types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri))
        self._do(lambda: self.client.text_document_did_save(params))

    def close(self, uri: str) -> None:
        params = types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri))
        self._do(lambda: self.client.text_document_did_close(params))

    # Questions

    def complete(self, uri: str, before: str) -> list[types.CompletionItem]:
        document, position = self._place(uri, before)
        params = types.CompletionParams(document, position)
        found = self._run(self.client.text_document_completion_async(params))
        return list(getattr(found, "items", found or ()))

    def completed(self, uri: str, item: types.CompletionItem) -> str:
        """The text with an item taken."""
        edit = item.text_edit
        assert isinstance(edit, types.TextEdit)
        return self._edited(self.texts[uri], edit)

    def hover(self, uri: str, before: str) -> str | None:
        document, position = self._place(uri, before)
        found = self._run(
            self.client.text_document_hover_async(types.HoverParams(document, position))
        )
        if found is None:
            return None
        assert isinstance(found.contents, types.MarkupContent)
        return found.contents.value

    def definition(self, uri: str, before: str) -> Any:
        document, position = self._place(uri, before)
        params = types.DefinitionParams(document, position)
        return self._run(self.client.text_document_definition_async(params))

    def actions(self, uri: str, selected: str, *, invoked: bool = False) -> list[types.CodeAction]:
        found = self.offers(uri, selected, invoked=invoked)
        return [one for one in found if isinstance(one, types.CodeAction)]

    def offers(
        self, uri: str, selected: str, *, invoked: bool = False
    ) -> list[types.CodeAction | types.Command]:
        """Actions and commands."""
        offset = self.texts[uri].index(selected)
        whole = self.texts[uri]
        chosen = types.Range(
            self._position(whole, offset), self._position(whole, offset + len(selected))
        )
        kind = (
            types.CodeActionTriggerKind.Invoked
            if invoked
            else types.CodeActionTriggerKind.Automatic
        )
        context = types.CodeActionContext(diagnostics=[], trigger_kind=kind)
        params = types.CodeActionParams(types.TextDocumentIdentifier(uri), chosen, context)
        return list(self._run(self.client.text_document_code_action_async(params)) or ())

    def acted(self, uri: str, action: types.CodeAction) -> str:
        """The text with the edit of an action."""
        assert action.edit is not None
        assert action.edit.document_changes is not None
        (change,) = action.edit.document_changes
        assert isinstance(change, types.TextDocumentEdit)
        (edit,) = change.edits
        assert isinstance(edit, types.TextEdit)
        return self._edited(self.texts[uri], edit)

    def command(self, name: str, *arguments: Any) -> Any:
        params = types.ExecuteCommandParams(command=name, arguments=list(arguments))
        return self._run(self.client.workspace_execute_command_async(params))

    # What the server tells

    def diagnostics(
        self, uri: str, until: Callable[[list[types.Diagnostic]], bool] = bool
    ) -> list[types.Diagnostic]:
        """The latest that are as asked for."""

        def found() -> bool:
            told = self.published.get(uri)
            return told is not None and until(list(told.diagnostics))

        self.wait(found)
        return list(self.published[uri].diagnostics)

    def wait(self, until: Callable[[], bool]) -> None:
        with self._news:
            assert self._news.wait_for(until, _PATIENCE), (self.published, self.errors)

    def marked(self, uri: str, diagnostic: types.Diagnostic) -> str:
        """The text that a diagnostic is shown on."""
        text = self.texts[uri]
        return text[
            self._offset(text, diagnostic.range.start) : self._offset(text, diagnostic.range.end)
        ]

    # End

    def end(self) -> int:
        """Shut down and exit; the exit code."""
        self._run(self.client.shutdown_async(None))
        self._do(lambda: self.client.exit(None))
        return self.exit_code()

    def leave(self) -> int:
        """Close the server's input; the exit code."""
        assert self.process is not None
        assert self.process.stdin is not None
        self._do(self.process.stdin.close)
        return self.exit_code()

    def exit_without_shutdown(self) -> int:
        self._do(lambda: self.client.exit(None))
        return self.exit_code()

    def exit_code(self) -> int:
        assert self.process is not None
        code: int = self._run(self.process.wait())
        self._run(self.client.stop())
        return code

    def _listen(self) -> None:
        client = self.client

        @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(params: types.PublishDiagnosticsParams) -> None:
            self._tell(lambda: self.published.__setitem__(params.uri, params))

        @client.feature(types.WINDOW_SHOW_MESSAGE)
        def message(params: types.ShowMessageParams) -> None:
            self._tell(lambda: self.messages.append(params.message))

        @client.feature(types.WINDOW_WORK_DONE_PROGRESS_CREATE)
        def create(_params: types.WorkDoneProgressCreateParams) -> None:
            return None

        @client.feature(types.PROGRESS)
        def progress(params: types.ProgressParams) -> None:
            self._tell(lambda: self.progress.append(params))

        @client.feature(types.WINDOW_SHOW_DOCUMENT)
        def show(params: types.ShowDocumentParams) -> types.ShowDocumentResult:
            self._tell(lambda: self.shown.append(params.uri))
            return types.ShowDocumentResult(success=True)

    def _tell(self, add: Callable[[], None]) -> None:
        with self._news:
            add()
            self._news.notify_all()

    async def _read_errors(self) -> None:
        assert self.process is not None
        assert self.process.stderr is not None
        async for line in self.process.stderr:
            self.errors += line.decode("utf-8", "replace")

    def _run(self, work: Coroutine[Any, Any, _T]) -> _T:
        async def bounded() -> _T:
            return await asyncio.wait_for(work, _PATIENCE)

        return asyncio.run_coroutine_threadsafe(bounded(), self._loop).result()

    def _do(self, work: Callable[[], object]) -> None:
        async def done() -> None:
            work()

        self._run(done())

    def _place(self, uri: str, before: str) -> tuple[types.TextDocumentIdentifier, types.Position]:
        text = self.texts[uri]
        offset = text.index(before) + len(before)
        return types.TextDocumentIdentifier(uri), self._position(text, offset)

    def _position(self, text: str, offset: int) -> types.Position:
        start = text.rfind("\n", 0, offset) + 1
        units = len(text[start:offset].encode(self._unit)) // (1 if self._unit == "utf-8" else 2)
        return types.Position(text.count("\n", 0, offset), units)

    def _offset(self, text: str, position: types.Position) -> int:
        lines = text.split("\n")
        before = sum(len(line) + 1 for line in lines[: position.line])
        size = position.character * (1 if self._unit == "utf-8" else 2)
        return before + len(lines[position.line].encode(self._unit)[:size].decode(self._unit))

    def _edited(self, text: str, edit: types.TextEdit) -> str:
        start, end = self._offset(text, edit.range.start), self._offset(text, edit.range.end)
        return text[:start] + edit.new_text + text[end:]


def _client(encodings: list[str] | None) -> types.ClientCapabilities:
    general = types.GeneralClientCapabilities(
        position_encodings=[types.PositionEncodingKind(one) for one in encodings or ()] or None
    )
    return types.ClientCapabilities(
        general=general,
        window=types.WindowClientCapabilities(
            work_done_progress=True,
            show_document=types.ShowDocumentClientCapabilities(support=True),
        ),
        workspace=types.WorkspaceClientCapabilities(
            workspace_edit=types.WorkspaceEditClientCapabilities(document_changes=True)
        ),
    )
