"""Port: citations and bibliographies in the styles of journals and publishers."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol

from citeloom.domain.citation import CitationMeta
from citeloom.domain.values import Value


class Markup(StrEnum):
    """How italics and the like are written; ``PLAIN`` leaves them out."""

    PLAIN = "plain"
    MARKDOWN = "markdown"
    HTML = "html"


class StyledCite(Value):
    """A work in a citation. ``pages`` are printed ones (``127-130, 135``, any way of writing
    a range); ``place`` are words that say where, if there are none."""

    citekey: str
    pages: str | None = None
    place: str | None = None


class StyledEntry(Value):
    """A work's entry in a bibliography."""

    citekey: str
    text: str


class CitationStyle(Protocol):
    """One style. Citation keys of ``works`` differ; of two with the same the first counts."""

    @property
    def title(self) -> str: ...

    def in_text(
        self,
        works: Sequence[CitationMeta],
        citations: Sequence[Sequence[StyledCite]],
        markup: Markup = Markup.PLAIN,
    ) -> tuple[str, ...]:
        """Each citation as the style writes it where ``works`` are all that is cited: what
        would look the same is told apart, numbers are those of the bibliography. Raises
        InvalidRequest for a key that none of ``works`` has."""

    def bibliography(
        self, works: Sequence[CitationMeta], markup: Markup = Markup.PLAIN
    ) -> tuple[StyledEntry, ...]:
        """The entries of ``works`` in the style's order; none in a style without any."""


class CitationStyles(Protocol):
    def names(self) -> Sequence[str]:
        """Those that need no file."""

    def style(self, name: str) -> CitationStyle:
        """A style by name, or from the ``.csl`` file at a path. Raises InvalidRequest."""
