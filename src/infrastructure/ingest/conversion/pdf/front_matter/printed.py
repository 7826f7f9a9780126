"""Title and authors as printed."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from citeloom.infrastructure.ingest.conversion.pdf.front_matter.authors import names_of_block
from citeloom.infrastructure.ingest.conversion.pdf.front_matter.title import TitleBlock
from citeloom.infrastructure.ingest.conversion.pdf.lines.line_flow import PlacedLine
from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import TextLine


class FrontMatter(NamedTuple):
    """Title and names of the authors as printed. ``masthead`` are the lines of text in figures of
    the first page: a journal's name and volume beside its logo."""

    title: str | None = None
    authors: tuple[str, ...] = ()
    masthead: tuple[str, ...] = ()


class FrontLines(NamedTuple):
    """Lines of the title and of the authors' block."""

    title: tuple[TextLine, ...] = ()
    authors: tuple[TextLine, ...] = ()

    @classmethod
    def of(cls, flow: Sequence[PlacedLine], block: TitleBlock) -> "FrontLines":
        return cls(
            tuple(flow[i].line for i in block.title), tuple(flow[i].line for i in block.authors)
        )

    def with_title(self, joined: str, masthead: Iterable[str]) -> FrontMatter:
        """The front matter; ``joined`` is the text of the title's lines."""
        return FrontMatter(joined or None, names_of_block(self.authors), tuple(masthead))
