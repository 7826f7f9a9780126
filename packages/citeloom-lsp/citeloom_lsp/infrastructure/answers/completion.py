"""Completion of citation keys and of pages after them."""

from typing import TYPE_CHECKING, Final

from lsprotocol import types

from citeloom.domain.citation.in_text import InText, Mention, markdown_text, typst
from citeloom.domain.citation.metadata import pandoc_key
from citeloom.domain.text.phrasing import on_one_line, shortened
from citeloom_lsp.domain.at_position import sentence_at
from citeloom_lsp.domain.insertion import page_text
from citeloom_lsp.domain.paragraphs import in_code
from citeloom_lsp.domain.unfinished_citation import (
    TypedKey,
    TypedPage,
    unfinished_citation,
)
from citeloom_lsp.infrastructure.buffers import Buffer
from citeloom_lsp.infrastructure.desk import Desk, paragraph_of

if TYPE_CHECKING:
    from citeloom.domain.writing.work_completion import CitableWork
    from citeloom_lsp.application.suggestions import SuggestedPage

TRIGGERS: Final = ("@", "{", "[", "<", ",", " ", "~", ".")
_SHOWN: Final = 90


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
    """Filtered here, as it is typed: the list is asked for again with each character."""
    if isinstance(found, TypedKey):
        works = desk.works(found.typed)
        items = [_work(buffer, found, work, n) for n, work in enumerate(works)]
    else:
        items = _pages(desk, buffer, offset, found)
    return types.CompletionList(is_incomplete=True, items=items)


def _work(
    buffer: Buffer, found: TypedKey, work: "CitableWork", number: int
) -> types.CompletionItem:
    start, text = _key_edit(buffer, found, work.key)
    by = " ".join(filter(None, (work.authors, str(work.year or ""))))
    known = work.key.casefold().startswith(found.typed.casefold())
    about = [f"**{markdown_text(work.title)}**", markdown_text(by)]
    about += [f"*{markdown_text(work.container)}*"] if work.container else []
    about += [] if work.has_text else ["The library has no text of it."]
    return types.CompletionItem(
        label=work.key,
        label_details=types.CompletionItemLabelDetails(description=by),
        kind=types.CompletionItemKind.Reference,
        detail=shortened(f"{by}. {on_one_line(work.title)}", _SHOWN),
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
    """The sentence that a page is typed for, without the citation as far as it is typed."""
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
        detail=shortened(quote, _SHOWN),
        documentation=types.MarkupContent(types.MarkupKind.Markdown, "\n\n".join(about)),
        sort_text=f"{number:04}",
        filter_text=buffer.text[found.start : offset] or text,
        preselect=number == 0,
        text_edit=types.TextEdit(range=buffer.range(found.start, found.end), new_text=text),
    )
