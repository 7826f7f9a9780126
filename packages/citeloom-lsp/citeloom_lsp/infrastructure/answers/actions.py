"""Code actions: corrections of findings, citations for a sentence, opening a page."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from lsprotocol import types

from citeloom.domain.citation.metadata import locator
from citeloom.domain.text.phrasing import on_one_line, shortened
from citeloom.domain.writing.placed_findings import Edit
from citeloom_lsp.domain.at_position import sentence_at
from citeloom_lsp.domain.insertion import citation_insertion
from citeloom_lsp.infrastructure.answers.diagnostics import diagnostic
from citeloom_lsp.infrastructure.answers.lookups import citation_under
from citeloom_lsp.infrastructure.buffers import Buffer
from citeloom_lsp.infrastructure.desk import Desk, paragraph_of
from citeloom_lsp.infrastructure.open_drafts import OpenDraft

if TYPE_CHECKING:
    from citeloom_lsp.application.suggestions import SuggestedPage

KINDS: Final = (types.CodeActionKind.QuickFix, types.CodeActionKind.RefactorRewrite)
OPEN: Final = "citeloom.open"
VERIFY: Final = "citeloom.verify"
_SHOWN: Final = 70


class Asked(NamedTuple):
    """What a client asks for: actions of ``kinds`` (None: all) for ``start`` to ``end``.
    ``invoked``: a person asked, it was not the cursor that moved. ``versioned`` and
    ``shows_documents`` say what the client can do."""

    start: int
    end: int
    kinds: Sequence[types.CodeActionKind | str] | None
    invoked: bool
    versioned: bool
    shows_documents: bool

    @classmethod
    def of(
        cls, buffer: Buffer, params: types.CodeActionParams, client: types.ClientCapabilities
    ) -> "Asked":
        start, end = buffer.span(params.range)
        edits = client.workspace.workspace_edit if client.workspace else None
        shown = client.window.show_document if client.window else None
        return cls(
            start=start,
            end=end,
            kinds=params.context.only,
            invoked=params.context.trigger_kind == types.CodeActionTriggerKind.Invoked,
            versioned=bool(edits and edits.document_changes),
            shows_documents=bool(shown and shown.support),
        )

    def wants(self, kind: types.CodeActionKind) -> bool:
        """An asked kind stands for those below it: *refactor* for *refactor.rewrite*."""
        if self.kinds is None:
            return True
        wanted = (one.value if isinstance(one, types.CodeActionKind) else one for one in self.kinds)
        return any(
            one == "" or kind.value == one or kind.value.startswith(f"{one}.") for one in wanted
        )


def actions(desk: Desk, draft: OpenDraft, asked: Asked) -> list[types.Command | types.CodeAction]:
    """Corrections; on a citation its page; for a selection, or a sentence where a person asks,
    citations."""
    found: list[types.Command | types.CodeAction] = []
    if asked.wants(types.CodeActionKind.QuickFix):
        found += _corrections(draft, asked)
    cited = citation_under(desk, draft, asked.start)
    if cited is not None:
        if asked.shows_documents and asked.kinds is None:
            found.append(_opening(draft.buffer, asked.start, cited.item.key))
    elif asked.wants(types.CodeActionKind.RefactorRewrite) and (
        asked.invoked or asked.start < asked.end
    ):
        found += _citations(desk, draft.buffer, asked)
    return found


def _corrections(draft: OpenDraft, asked: Asked) -> Iterator[types.CodeAction]:
    for placed in draft.findings:
        if not placed.covers(asked.start, asked.end):
            continue
        for number, one in enumerate(placed.corrections):
            edit = Edit(one.start, one.end, one.text)
            yield types.CodeAction(
                title=one.title,
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[diagnostic(draft.buffer, placed)],
                is_preferred=number == 0,
                edit=_workspace_edit(draft.buffer, edit, versioned=asked.versioned),
            )


def _citations(desk: Desk, buffer: Buffer, asked: Asked) -> Iterator[types.CodeAction]:
    """A citation of each work that fits the selected text, or the sentence around the cursor."""
    paragraph = paragraph_of(buffer, asked.start)
    draft = desk.draft(paragraph.text, buffer.markup)
    first, last = asked.start - paragraph.start, min(asked.end, paragraph.end) - paragraph.start
    text = draft.plain(first, last)
    if asked.start == asked.end:
        sentence = sentence_at(draft, first)
        if sentence is None:
            return
        text, first, last = sentence
    if any(char.isalpha() for char in text):
        span = first + paragraph.start, last + paragraph.start
        yield from _insertions(buffer, span, desk.citations(text), versioned=asked.versioned)


def _insertions(
    buffer: Buffer, span: tuple[int, int], pages: "Sequence[SuggestedPage]", *, versioned: bool
) -> Iterator[types.CodeAction]:
    for page in pages:
        put = citation_insertion(buffer.text, *span, buffer.markup.value, page.mention)
        where = locator(page.mention.labels) or page.mention.place
        cited = ", ".join(filter(None, (page.mention.citekey, where)))
        quote = shortened(on_one_line(page.quote.text), _SHOWN)
        yield types.CodeAction(
            title=f"Cite {cited}: “{quote}”",
            kind=types.CodeActionKind.RefactorRewrite,
            edit=_workspace_edit(buffer, Edit(put.at, put.at, put.text), versioned=versioned),
        )


def _opening(buffer: Buffer, offset: int, key: str) -> types.Command:
    """A command on its own: it is no action of a kind."""
    position = buffer.position(offset)
    place = {"line": position.line, "character": position.character}
    return types.Command(
        title=f"Open the page of {key}", command=OPEN, arguments=[buffer.uri, place]
    )


def _workspace_edit(buffer: Buffer, edit: Edit, *, versioned: bool) -> types.WorkspaceEdit:
    """An edit of one place; ``versioned``: refused by the client if the text has changed."""
    change = types.TextEdit(range=buffer.range(edit.start, edit.end), new_text=edit.text)
    if not versioned:
        return types.WorkspaceEdit(changes={buffer.uri: [change]})
    document = types.OptionalVersionedTextDocumentIdentifier(uri=buffer.uri, version=buffer.version)
    return types.WorkspaceEdit(
        document_changes=[types.TextDocumentEdit(text_document=document, edits=[change])]
    )
