"""Extractive descriptions of documents, parts and figures."""

from citeloom.domain.documents.conversion import ConversionResult, Figure
from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.text.sentences import cut_at_sentence, sentence_spans

LONGEST = 160
"""Characters of a description."""

_ABSTRACTS = frozenset({"abstract", "summary", "zusammenfassung", "résumé", "resumen", "摘要"})
_HEADINGS = 3


def describe_document(document: ConversionResult) -> str | None:
    """The first sentence of the abstract, else of the text."""
    for heading in document.structure.headings():
        if heading.title.strip(" .:").casefold() in _ABSTRACTS:
            sentence = first_sentence(document, heading.span)
            if sentence:
                return sentence
    whole = CharSpan(start=0, end=len(document.plain_text))
    return first_sentence(document, whole)


def describe_part(document: ConversionResult, span: CharSpan) -> str | None:
    """The first headings within ``span``, and its first sentence."""
    titles = [
        " ".join(heading.title.split())
        for heading in document.structure.headings()
        if span.start <= heading.span.start < span.end
    ]
    more = "; …" if len(titles) > _HEADINGS else ""
    shown = cut_at_sentence("; ".join(titles[:_HEADINGS]) + more, LONGEST) if titles else ""
    return ": ".join(part for part in (shown, first_sentence(document, span)) if part) or None


def describe_figure(figure: Figure, number: int) -> str:
    """The whole caption, as text alternative of the picture."""
    caption = " ".join((figure.caption or "").split())
    return caption or f"Figure {number} of the document, on page {figure.page}, without a caption"


def first_sentence(document: ConversionResult, span: CharSpan) -> str | None:
    """The first sentence of the first prose block in ``span``, which may be a cut-off one."""
    for block in document.blocks:
        start, end = max(block.span.start, span.start), min(block.span.end, span.end)
        if not block.is_prose or start >= end:
            continue
        text = document.plain_text[start:end]
        for begin, stop in sentence_spans(text)[:1]:
            return cut_at_sentence(" ".join(text[begin:stop].split()), LONGEST)
    return None
