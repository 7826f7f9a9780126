"""Citation styles of the CSL processor (port ``CitationStyles``)."""

from collections.abc import Callable, Mapping, Sequence

from citeloom.application.ports.citation import CitationMarkup, StyledCite, StyledEntry
from citeloom.domain.citation.metadata import CitationMeta, csl_item
from citeloom.domain.errors import InvalidRequest

from .processor import Processor, Reference
from .rendering.rich_text import Runs, as_html, as_markdown, plain
from .style import StyleDefinition, load_style

_FORMATTERS: Mapping[CitationMarkup, Callable[[Runs], str]] = {
    CitationMarkup.PLAIN: plain,
    CitationMarkup.MARKDOWN: as_markdown,
    CitationMarkup.HTML: as_html,
}
# No term of CSL, so that a place in words has no "p." before it.
_VERBATIM_LABEL = "custom"


class CslStyle:
    def __init__(self, style: StyleDefinition) -> None:
        self._style = style

    def in_text(
        self,
        works: Sequence[CitationMeta],
        citations: Sequence[Sequence[StyledCite]],
        markup: CitationMarkup = CitationMarkup.PLAIN,
    ) -> tuple[str, ...]:
        citekeys = {work.citekey for work in works}
        for cite in (cite for citation in citations for cite in citation):
            if cite.citekey not in citekeys:
                raise InvalidRequest(f"{cite.citekey}: none of the works cited", parameter="key")
        processor = self._processor(works)
        return tuple(
            _FORMATTERS[markup](processor.cite([_reference(cite) for cite in citation]))
            for citation in citations
        )

    def bibliography(
        self, works: Sequence[CitationMeta], markup: CitationMarkup = CitationMarkup.PLAIN
    ) -> tuple[StyledEntry, ...]:
        return tuple(
            StyledEntry(citekey=id, text=_FORMATTERS[markup](text))
            for id, text in self._processor(works).bibliography()
        )

    def _processor(self, works: Sequence[CitationMeta]) -> Processor:
        first: dict[str, CitationMeta] = {}
        for work in works:
            first.setdefault(work.citekey, work)
        return Processor(self._style, [(key, csl_item(work)) for key, work in first.items()])


def _reference(cite: StyledCite) -> Reference:
    if cite.pages:
        return Reference(cite.citekey, (cite.pages, "page"))
    return Reference(cite.citekey, (cite.place, _VERBATIM_LABEL) if cite.place else None)


def csl_style(name: str) -> CslStyle:
    """One of the bundled styles, or a style file."""
    return CslStyle(load_style(name))
