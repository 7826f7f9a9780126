"""Answers of the language server: completion, hover, diagnostics, actions, pages."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from lsprotocol import types

from citeloom.domain.citation.in_text import InText, Mention, markdown_link, markdown_text, typst
from citeloom.domain.citation.metadata import CitationMeta, locator, pandoc_key
from citeloom.domain.documents.fidelity import uncertain_mark
from citeloom.domain.text.phrasing import on_one_line, shortened
from citeloom.domain.verification.drafts.draft import (
    CitedItem,
    EvidenceQuote,
    Finding,
    Verification,
)
from citeloom.domain.verification.report import shown_evidence
from citeloom.domain.verification.verdict import MEANINGS, Severity, Verdict
from citeloom.domain.writing import Edit, PlacedFinding
from citeloom_lsp.domain.citations import (
    TypedKey,
    TypedPage,
    citation_insertion,
    cited_at,
    in_code,
    page_text,
    paragraph_at,
    sentence_at,
    unfinished_citation,
)

from .buffers import Buffer, Encoding, OpenDraft, markup_of
from .desk import Desk, paragraph_of

if TYPE_CHECKING:
    from citeloom.domain.writing import CitableWork
    from citeloom_lsp.application.citation_cards import CitationCard
    from citeloom_lsp.application.suggestions import SuggestedPage

SOURCE: Final = "citeloom"
_SEVERITIES: Final = {
    Severity.NOTE: types.DiagnosticSeverity.Information,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.ERROR: types.DiagnosticSeverity.Error,
}


def diagnostics(buffer: Buffer, findings: Iterable[PlacedFinding]) -> list[types.Diagnostic]:
    """One for each finding that is not SUPPORTED; its code is the verdict."""
    return [diagnostic(buffer, one) for one in findings if is_shown(one.finding)]


def is_shown(finding: Finding) -> bool:
    return MEANINGS[finding.verdict][0] is not Severity.NONE


def claim_diagnostics(buffer: Buffer, findings: Iterable[Finding]) -> list[types.Diagnostic]:
    """The same for findings at their claims."""
    return [
        _diagnostic(buffer, one, (one.claim.start, one.claim.end))
        for one in findings
        if is_shown(one)
    ]


def diagnostic(buffer: Buffer, placed: PlacedFinding) -> types.Diagnostic:
    return _diagnostic(buffer, placed.finding, placed.shown)


def _diagnostic(buffer: Buffer, finding: Finding, span: tuple[int, int]) -> types.Diagnostic:
    severity = MEANINGS[finding.verdict][0]
    return types.Diagnostic(
        range=buffer.range(*span),
        severity=_SEVERITIES[severity],
        code=finding.verdict.value,
        source=SOURCE,
        message="\n".join(_lines(finding)),
    )


def _lines(finding: Finding) -> Iterator[str]:
    cited = f"{finding.key}, {finding.locator}" if finding.locator else finding.key
    yield f"{cited}: {MEANINGS[finding.verdict][1]}"
    yield from map(on_one_line, finding.reasons)
    if finding.verdict is not Verdict.UNKNOWN_KEY:
        yield from map(_quoted, shown_evidence(finding))
    if finding.better is not None:
        yield f"Better: {_quoted(finding.better)}"


def _quoted(quote: EvidenceQuote) -> str:
    cited = quote.citation or quote.title or ""
    return f"“{on_one_line(quote.text)}” {cited}{uncertain_mark(quote.text_uncertain)}"


LookUp = Callable[[Desk, OpenDraft], tuple[PlacedFinding, ...]]

# More characters than this are looked up with the next save.
_MOST_TOUCHED: Final = 40_000


class CitationUnder(NamedTuple):
    """A cited work at a place: ``span`` of its citation in the buffer, the plain claim (or
    empty), and the finding on it."""

    item: CitedItem
    span: tuple[int, int]
    claim: str
    finding: PlacedFinding | None


def citation_under(desk: Desk, draft: OpenDraft, offset: int) -> CitationUnder | None:
    """By its key in the paragraph; a citation by authors and year or by number as a finding has
    resolved it."""
    paragraph = paragraph_of(draft.buffer, offset)
    parsed = desk.draft(paragraph.text, draft.buffer.markup)
    found = cited_at(parsed, offset - paragraph.start)
    if found is None or found.item.key in parsed.works:
        return _resolved(draft, offset)
    start, end = found.citation.start + paragraph.start, found.citation.end + paragraph.start
    at = found.item.start + paragraph.start
    key, locator = found.item.key, found.item.locator
    finding = next(
        (
            one
            for one in draft.findings
            if one.covers(at, at)
            and one.finding.key == key
            and one.finding.locator == (locator.text if locator else None)
        ),
        None,
    )
    return CitationUnder(found.item, (start, end), found.claim.text if found.claim else "", finding)


def _resolved(draft: OpenDraft, offset: int) -> CitationUnder | None:
    for placed in draft.findings:
        if placed.cited and placed.cited[0] <= offset <= placed.cited[1] and placed.item:
            return CitationUnder(placed.item, placed.cited, placed.finding.claim.text, placed)
    return None


def of_text(desk: Desk, draft: OpenDraft) -> tuple[PlacedFinding, ...]:
    """The stored findings of a whole draft."""
    return desk.findings(draft.buffer.text, draft.buffer.markup)


def of_touched(desk: Desk, draft: OpenDraft) -> tuple[PlacedFinding, ...]:
    """The findings of a draft, looked up again in the paragraphs that have changed."""
    if draft.touched is None:
        return draft.findings
    text, markup = draft.buffer.text, draft.buffer.markup
    start = paragraph_at(text, draft.touched[0], markup.value).start
    end = paragraph_at(text, draft.touched[1], markup.value).end
    if end - start > _MOST_TOUCHED:
        return draft.findings
    found = (one.moved(start) for one in desk.findings(text[start:end], markup))
    # What authors and a year or a number mean is not to be seen in a paragraph.
    kept = (
        one
        for one in draft.findings
        if one.end < start or one.start > end or one.finding.written is not None
    )
    return tuple(sorted((*kept, *found), key=lambda one: one.start))


def of_included_files(
    result: Verification, encoding: Encoding
) -> list[tuple[Buffer, list[types.Diagnostic]]]:
    """Diagnostics of the files that a draft includes, as they are on the disk."""
    files = dict.fromkeys(one.claim.file for one in result.findings if one.claim.file)
    parts = []
    for file in files:
        path = Path(file)
        uri = path.resolve().as_uri()
        markup = markup_of(uri, "")
        if markup is not None and path.is_file():
            text = path.read_bytes().decode("utf-8-sig", "replace")
            part = Buffer(uri, text, None, markup, encoding)
            findings = [one for one in result.findings if one.claim.file == file]
            parts.append((part, claim_diagnostics(part, findings)))
    return parts


KINDS: Final = (types.CodeActionKind.QuickFix, types.CodeActionKind.RefactorRewrite)
OPEN: Final = "citeloom.open"
VERIFY: Final = "citeloom.verify"
_SHOWN: Final = 70


class Asked(NamedTuple):
    """The client's request: actions of ``kinds`` (None: all) for ``start`` to ``end``. ``invoked``:
    a person asked, not a cursor movement. ``versioned`` and ``shows_documents`` say what the client
    can do."""

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
        """A requested kind includes those below it: *refactor* includes *refactor.rewrite*."""
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
    """A command on its own: it is not an action of a kind."""
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


TRIGGERS: Final = ("@", "{", "[", "<", ",", " ", "~", ".")
_LISTED: Final = 90


def typed_at(buffer: Buffer, offset: int) -> TypedKey | TypedPage | None:
    """The citation being typed, by offsets of the buffer; None in code and elsewhere."""
    paragraph = paragraph_of(buffer, offset)
    found = unfinished_citation(paragraph.text, offset - paragraph.start, buffer.markup.value)
    if found is None or in_code(buffer.text, offset, buffer.markup.value):
        return None
    by = paragraph.start
    moved = {
        name: getattr(found, name) + by
        for name in ("mark", "start", "end", "cut", "cut_end")
        if hasattr(found, name)
    }
    return found.model_copy(update=moved)


def completions(
    desk: Desk, buffer: Buffer, offset: int, found: TypedKey | TypedPage
) -> types.CompletionList:
    """Completions, filtered while the user types; each character asks for the list again."""
    if isinstance(found, TypedKey):
        works = desk.works(found.typed)
        items = [_item(buffer, found, work, n) for n, work in enumerate(works)]
    else:
        items = _pages(desk, buffer, offset, found)
    return types.CompletionList(is_incomplete=True, items=items)


def _item(
    buffer: Buffer, found: TypedKey, work: "CitableWork", number: int
) -> types.CompletionItem:
    start, text = _key_edit(buffer, found, work.key)
    by = " ".join(filter(None, (work.authors, str(work.year or ""))))
    known = work.key.casefold().startswith(found.typed.casefold())
    about = [f"**{markdown_text(work.title)}**", markdown_text(by)]
    about += [f"*{markdown_text(work.container)}*"] if work.container else []
    about += [] if work.has_text else ["The library does not have its text."]
    return types.CompletionItem(
        label=work.key,
        label_details=types.CompletionItemLabelDetails(description=by),
        kind=types.CompletionItemKind.Reference,
        detail=shortened(f"{by}. {on_one_line(work.title)}", _LISTED),
        documentation=types.MarkupContent(types.MarkupKind.Markdown, "  \n".join(about)),
        sort_text=f"{number:04}",
        filter_text=buffer.text[start : found.start] + (work.key if known else found.typed),
        text_edit=types.TextEdit(range=buffer.range(start, found.end), new_text=text),
    )


def _key_edit(buffer: Buffer, found: TypedKey, key: str) -> tuple[int, str]:
    """Where the edit begins, and its text: a key that may not follow ``@`` as it is has its own
    form."""
    if found.mark == found.start:
        return found.start, key
    if buffer.markup.value == InText.TYPST.value:
        cited = typst([Mention(citekey=key)])
        return (found.start, key) if cited == f"@{key}" else (found.mark, cited)
    if buffer.text[found.mark : found.start] == "@{":
        closed = buffer.text[found.end : found.end + 1] == "}"
        return found.start, key if closed else f"{key}}}"
    return found.start, pandoc_key(key)


def _pages(desk: Desk, buffer: Buffer, offset: int, found: TypedPage) -> list[types.CompletionItem]:
    pages = desk.pages(found.key, sentence_around(desk, buffer, found))
    return [
        _page(buffer, offset, found, page, number)
        for number, page in enumerate(pages)
        if _fits(page.mention, found.label)
    ]


def sentence_around(desk: Desk, buffer: Buffer, found: TypedPage) -> str:
    """The sentence that needs a page, without the unfinished citation."""
    paragraph = paragraph_of(buffer, found.start)
    cut = found.cut - paragraph.start, min(found.cut_end, paragraph.end) - paragraph.start
    text = paragraph.text[: cut[0]] + " " * (cut[1] - cut[0]) + paragraph.text[cut[1] :]
    sentence = sentence_at(desk.draft(text, buffer.markup), cut[0])
    return sentence.text if sentence else ""


def _fits(mention: Mention, label: str) -> bool:
    wanted = label.casefold()
    if not mention.labels:
        return bool(mention.place)
    return any(one.casefold().startswith(wanted) for one in mention.labels)


def _page(
    buffer: Buffer, offset: int, found: TypedPage, page: "SuggestedPage", number: int
) -> types.CompletionItem:
    text = page_text(buffer.markup.value, found.command, page.mention, found.term)
    quote = on_one_line(page.quote.text)
    about = [f"> {markdown_text(quote)}"]
    about += [markdown_text(page.quote.section)] if page.quote.section else []
    return types.CompletionItem(
        label=text,
        kind=types.CompletionItemKind.Value,
        detail=shortened(quote, _LISTED),
        documentation=types.MarkupContent(types.MarkupKind.Markdown, "\n\n".join(about)),
        sort_text=f"{number:04}",
        filter_text=buffer.text[found.start : offset] or text,
        preselect=number == 0,
        text_edit=types.TextEdit(range=buffer.range(found.start, found.end), new_text=text),
    )


_REASONS: Final = 3


def _parts(card: "CitationCard", finding: Finding | None) -> Iterator[str]:
    if card.work is not None:
        yield _work(card.work)
    else:
        yield f"**{markdown_text(card.key)}**"
    if card.note:
        yield markdown_text(card.note)
    if card.quote is not None and card.mention is not None:
        where = locator(card.mention.labels) or card.mention.place or ""
        if not card.on_page:
            where = f"closest text, {where}" if where else "closest text"
        mark = uncertain_mark(card.quote.text_uncertain)
        yield f"> {markdown_text(on_one_line(card.quote.text))}\n>\n> ({where}{mark})"
    yield _state(finding)


def _work(work: CitationMeta) -> str:
    by = ", ".join(work.authors)
    lines = [
        f"**{markdown_text(work.title)}**",
        markdown_text(f"{by} ({work.year})" if work.year else by),
    ]
    if work.container_title:
        pages = f", {work.page}" if work.page else ""
        lines.append(f"*{markdown_text(work.container_title)}*{markdown_text(pages)}")
    if work.doi:
        lines.append(markdown_link(f"doi:{work.doi}", f"https://doi.org/{work.doi}"))
    return "  \n".join(lines)


def _state(finding: Finding | None) -> str:
    if finding is None:
        return "*Not checked yet.*"
    basis = "" if finding.basis is None else f", {finding.basis.value}"
    confidence = "" if finding.confidence is None else f" {finding.confidence:.2f}"
    told = f"**{finding.verdict.value}**{basis}{confidence}: {MEANINGS[finding.verdict][1]}"
    reasons = [markdown_text(on_one_line(one)) for one in finding.reasons[:_REASONS]]
    return "  \n".join([told, *reasons])


def hover(desk: Desk, draft: OpenDraft, offset: int, *, markdown: bool) -> types.Hover | None:
    found = citation_under(desk, draft, offset)
    if found is None:
        return None
    card = desk.card(found.item, found.claim)
    finding = found.finding.finding if found.finding else None
    text = "\n\n".join(_parts(card, finding))
    kind = types.MarkupKind.Markdown if markdown else types.MarkupKind.PlainText
    content = types.MarkupContent(kind, text if markdown else _plain(text))
    return types.Hover(contents=content, range=draft.buffer.range(*found.span))


def _plain(markdown: str) -> str:
    """Our Markdown for a client that shows plain text only."""
    bare = re.sub(r"(?<!\\)\*{1,2}", "", re.sub(r"^> ?", "", markdown, flags=re.MULTILINE))
    return re.sub(r"\\([\\\[\]*_`<>])", r"\1", bare.replace("  \n", "\n"))


def page_uri(desk: Desk, draft: OpenDraft, offset: int) -> str | None:
    """The file of the work cited at an offset, at the page cited or that fits best (RFC 8118,
    "page"), with the words marked; None without a citation there, or without its file on this
    machine."""
    found = citation_under(desk, draft, offset)
    opened = desk.opened(desk.card(found.item, found.claim)) if found else None
    if opened is None:
        return None
    path, page = opened
    uri = path.resolve().as_uri()
    is_paged = page is not None and path.suffix.lower() == ".pdf"
    return f"{uri}#page={page}" if is_paged else uri
