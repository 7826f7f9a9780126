"""Observations of a document, or of one passage of it."""

import re
from collections.abc import Callable
from functools import cached_property

from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.errors import NothingThere
from citeloom.domain.references.entries.reference_list import cited_works
from citeloom.domain.resources.observations import (
    Entry,
    Listed,
    ObsBody,
    ObsChunk,
    ObsMedia,
    ObsPlain,
    SectionTitle,
    fit_to_budget,
)
from citeloom.domain.resources.reading import (
    describe_document,
    describe_figure,
    describe_part,
    markdown_of,
    replace_links,
)
from citeloom.domain.resources.reading_chunks import (
    READING_TOKENS,
    ChunkedDocument,
    ReadingChunk,
    cut_for_reading,
)
from citeloom.domain.resources.uris import BODY, ResourceUri, Suffix, SuffixKind, chunk, media

PNG = "image/png"
_FIGURE = re.compile(r"figure-([1-9][0-9]{0,5})\.png")
_SHOWN = 20


class DocumentView:
    """Observations of a document by suffix of its URI. ``span`` narrows the view to a passage,
    shown as stored text. ``known`` maps a link of the text to the URI of a document in the
    library, if it has it."""

    def __init__(
        self,
        document_uri: ResourceUri,
        document: ConversionResult,
        max_tokens: int,
        *,
        span: CharSpan | None = None,
        known: Callable[[str], str | None] | None = None,
    ) -> None:
        self._known = known or (lambda _: None)
        self._whole = document_uri
        self._document = document
        self._max_tokens = max_tokens
        self._span = span
        self._uri = document_uri
        if span is not None:
            name = f"{span.start}-{span.end}"
            self._uri = document_uri.model_copy(update={"path": (*document_uri.path, name)})
            if span.end > len(document.plain_text):
                raise NothingThere(
                    f"{self._uri}: the document's text has {len(document.plain_text)} characters; "
                    "it was converted again since; ask again"
                )

    @cached_property
    def cut(self) -> ChunkedDocument:
        return cut_for_reading(self._document, self._max_tokens)

    @cached_property
    def _broken_links(self) -> dict[int, str]:
        """URIs of cited works whose identifiers the layout broke, by the end offset of their
        entries in the reference list."""
        links: dict[int, str] = {}
        for work in cited_works(self._document):
            entry = self._document.text_of(work.span).casefold()
            for name in (work.doi, work.arxiv_id):
                if name and name.casefold() not in entry and (uri := self._known(name)):
                    links[work.span.end] = f" {uri}"
        return links

    def describe(self) -> str | None:
        if self._span is not None:
            return describe_part(self._document, self._span)
        return describe_document(self._document)

    def observe(self, suffix: Suffix) -> ObsBody | ObsChunk | ObsMedia | ObsPlain:
        """Raises NothingThere, which names what exists."""
        if suffix.kind is SuffixKind.PLAIN:
            span = self._span or CharSpan(start=0, end=len(self._document.plain_text))
            return ObsPlain(
                uri=self._at(suffix),
                mime_type="text/plain",
                text=self._document.text_of(span),
                text_uncertain=self._document.is_uncertain(span),
            )
        if self._span is not None:
            return self._passage(suffix, self._span)
        if suffix.kind is SuffixKind.MEDIA:
            number = self.figure_number(suffix)
            return ObsMedia(
                uri=self._at(suffix),
                mime_type=PNG,
                placeholder=describe_figure(self._document.figures[number - 1], number),
            )
        return self._body() if suffix.kind is SuffixKind.BODY else self._chunk(suffix.indexes)

    def figure_number(self, suffix: Suffix) -> int:
        """The number of the figure in the document, from 1. Raises NothingThere."""
        match = _FIGURE.fullmatch(suffix.path[0]) if len(suffix.path) == 1 else None
        count = len(self._document.figures)
        if self._span is None and match and int(match[1]) <= count:
            return int(match[1])
        hint = f"there are figure-1.png to figure-{count}.png" if count else "there are none"
        raise NothingThere(f"{self._at(suffix)}: no such picture; {hint}")

    def _passage(self, suffix: Suffix, span: CharSpan) -> ObsBody | ObsChunk:
        if suffix.indexes or suffix.kind not in (SuffixKind.BODY, SuffixKind.CHUNK):
            raise NothingThere(f"{self._at(suffix)}: a passage has one part, $chunk")
        holding = self.cut.holding(span)
        seen = ObsChunk(
            uri=self._at(chunk()),
            document=str(self._uri),
            description=self.describe(),
            text=self._document.text_of(span),
            text_uncertain=self._document.is_uncertain(span),
            within=str(self._whole.observable(chunk(*holding.indexes) if holding else BODY)),
        )
        return seen if suffix.kind is SuffixKind.CHUNK else self._around(seen)

    def _body(self) -> ObsBody:
        only = self.cut.chunks[0] if len(self.cut.chunks) == 1 else None
        pictures = tuple(
            Listed(uri=self._picture(n), description=describe_figure(figure, n))
            for n, figure in enumerate(self._document.figures, start=1)
        )
        if only is not None:
            return self._around(self._part(only), pictures=pictures)
        return self._around(contents=self._contents(self.cut), pictures=pictures)

    def _around(
        self,
        seen: ObsChunk | None = None,
        contents: tuple[Entry, ...] = (),
        pictures: tuple[Listed, ...] = (),
    ) -> ObsBody:
        return ObsBody(
            uri=self._at(BODY),
            document=str(self._uri),
            description=self.describe(),
            contents=contents,
            chunk=seen,
            media=pictures,
        )

    def _chunk(self, indexes: tuple[int, ...]) -> ObsChunk:
        """A reading chunk; or the table of contents of a section with several chunks (of the
        whole document without indexes)."""
        if (reading_chunk := self.cut.chunk(indexes)) is not None:
            return self._part(reading_chunk)
        below = self.cut.below(indexes)
        if not below.chunks:
            chunk_names = ", ".join(str(chunk(*one.indexes)) for one in self.cut.chunks[:_SHOWN])
            raise NothingThere(
                f"{self._at(chunk(*indexes))}: no such part; there are {chunk_names}"
                + (", …" if len(self.cut.chunks) > _SHOWN else "")
            )
        title = next((one.title for one in below.sections if one.indexes == indexes), None)
        return ObsChunk(
            uri=self._at(chunk(*indexes)),
            document=str(self._uri),
            description=title or self.describe(),
            contents=self._contents(below),
        )

    def _part(self, part: ReadingChunk) -> ObsChunk:
        pictures = {at: self._picture(at + 1) for at in range(len(self._document.figures))}
        return ObsChunk(
            uri=self._at(chunk(*part.indexes)),
            document=str(self._uri),
            description=describe_part(self._document, part.span),
            text=replace_links(
                markdown_of(self._document, part.span, pictures, self._broken_links), self._known
            ),
            text_uncertain=self._document.is_uncertain(part.span),
        )

    def _contents(self, cut: ChunkedDocument) -> tuple[Entry, ...]:
        entries: list[tuple[tuple[int, ...], Entry]] = [
            (one.indexes, SectionTitle(title=" ".join(one.title.split()), level=one.level))
            for one in cut.sections
        ]
        entries += [
            (
                one.indexes,
                Listed(
                    uri=self._at(chunk(*one.indexes)),
                    description=describe_part(self._document, one.span),
                    tokens=one.tokens,
                ),
            )
            for one in cut.chunks
        ]
        ordered = [entry for _, entry in sorted(entries, key=lambda one: one[0])]
        return fit_to_budget(ordered, max(self._max_tokens, READING_TOKENS))

    def _picture(self, number: int) -> str:
        return str(self._uri.observable(media(f"figure-{number}.png")))

    def _at(self, suffix: Suffix) -> str:
        return f"{self._uri}/{suffix}"
