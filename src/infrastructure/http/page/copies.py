"""Texts to copy of a passage: its citation in each form, its reference, and the quotation."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from citeloom.application.citation.cite import DEFAULT_STYLE
from citeloom.domain.citation.in_text import InText
from citeloom.domain.search.request import QueryResult

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application

#: Citation styles by name, and how people call them.
STYLES: Final = (
    ("apa", "APA"),
    ("chicago", "Chicago"),
    ("ieee", "IEEE"),
    ("nature", "Nature"),
    ("vancouver", "Vancouver"),
)
_FORMS: Final = (
    ("Pandoc, Quarto", InText.PANDOC),
    ("LaTeX", InText.LATEX),
    ("Typst", InText.TYPST),
)


class CopiedText(NamedTuple):
    name: str
    text: str


class Copies(NamedTuple):
    """``texts`` are citations by form and the formatted reference; ``quotation`` is ``words`` with
    ``citation``."""

    texts: Sequence[CopiedText]
    style: str
    words: str
    citation: str
    quotation: str


class QuotedWords(NamedTuple):
    """The sentence of a passage to quote, empty where it has none, and the printed pages that it is
    on; none where they are those of the passage."""

    words: str
    labels: tuple[str, ...]


def copies_of(
    application: "Application",
    result: QueryResult,
    rank: int,
    quoted: QuotedWords,
    style: str = DEFAULT_STYLE,
) -> Copies | None:
    """Of the hit of this rank; None without a citation. Raises InvalidRequest for a style that
    there is none of."""
    place = application.citation.cite.places(result)[rank - 1]
    if place is None:
        return None
    if quoted.labels:
        mention = place.mention.model_copy(update={"labels": quoted.labels})
        place = place.model_copy(update={"mention": mention})
    cite = application.citation.cite
    name = dict(STYLES).get(style, style)
    texts = [CopiedText(form, cite.together([place], kind)) for form, kind in _FORMS]
    texts.append(CopiedText(f"In text, {name}", cite.together([place], InText.TEXT, style)))
    texts += [
        CopiedText(f"Reference, {name}", entry.text) for entry in cite.bibliography([place], style)
    ]
    words = " ".join((quoted.words or result.items[rank - 1].text).split())
    citation = texts[0].text
    return Copies(texts, style, words, citation, f"“{words}” {citation}")
