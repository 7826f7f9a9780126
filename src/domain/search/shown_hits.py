"""The hits of the last question: what is needed to open one of them by its number."""

import re
from collections.abc import Collection
from itertools import dropwhile
from typing import Final

from citeloom.domain.references.identifiers import letters_and_digits
from citeloom.domain.search.request import QueryResult, QueryResultItem
from citeloom.domain.text.sentences import quotable_spans
from citeloom.domain.value import Value

# Of a heading: 3, 3.1, 2.4.6.
_NUMBER: Final = re.compile(r"^\W*\d+(?:\.\d+)*\.?\s+")


class ShownHit(Value):
    """A hit that was shown. ``quote`` is its best sentence, verbatim; ``char_span`` is that of
    the passage in its document; ``pages`` are those of the file, from 1."""

    rank: int
    project: str | None
    document_id: str
    address: str
    source_path: str
    citation: str | None = None
    quote: str = ""
    char_span: tuple[int, int]
    pages: tuple[int, int] | None = None


class ShownHits(Value):
    """The hits of a question, by rank."""

    question: str
    hits: tuple[ShownHit, ...]

    @classmethod
    def of(cls, result: QueryResult) -> "ShownHits":
        return cls(question=result.query, hits=tuple(map(_shown, result.items)))

    def hit(self, rank: int) -> ShownHit | None:
        return next((hit for hit in self.hits if hit.rank == rank), None)


def _shown(item: QueryResultItem) -> ShownHit:
    return ShownHit(
        rank=item.rank,
        project=item.project,
        document_id=item.document_id,
        address=item.address,
        source_path=item.source_path,
        citation=item.citation,
        quote=key_sentence(item),
        char_span=item.char_span,
        pages=item.page_span,
    )


def key_sentence(item: QueryResultItem) -> str:
    """The best sentence of a hit that is no heading, without one that it was joined with for its
    shortness. Where there is none, the first with most of the question's words. Empty for a
    passage without text."""
    headings = {letters_and_digits(heading) for heading in (*item.section_path, item.title or "")}
    words = [word.casefold() for word in item.matched]
    best = _without_heading(item.best_sentence or "", headings)
    if best:
        return best
    spans = quotable_spans(item.text)
    sentences = [_without_heading(item.text[start:end], headings) for start, end in spans]
    return max(
        filter(None, sentences),
        key=lambda one: sum(word in one.casefold() for word in words),
        default="",
    )


def text_below_headings(item: QueryResultItem) -> str:
    """The text of a hit without the headings that it begins with and that its section path names;
    all of it where it has nothing else."""
    named = {_unnumbered(heading) for heading in item.section_path}
    paragraphs = item.text.split("\n\n")
    rest = list(dropwhile(lambda one: _unnumbered(one) in named, paragraphs))
    return "\n\n".join(rest) or item.text


def _unnumbered(heading: str) -> str:
    return letters_and_digits(_NUMBER.sub("", heading))


def _without_heading(sentence: str, headings: Collection[str]) -> str:
    parts = [part for part in sentence.split("\n\n") if letters_and_digits(part) not in headings]
    return max(parts, key=len, default="")
