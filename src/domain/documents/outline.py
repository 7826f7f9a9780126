"""The heading tree from a flat list of headings."""

from collections.abc import Sequence

from citeloom.domain.documents.conversion import Heading
from citeloom.domain.documents.spans import CharSpan

HeaderEntry = tuple[str, int, int, int | None]
"""Title, level (1 for the outermost), offset of its first character, page or None."""


def heading_tree(headers: Sequence[HeaderEntry], text_end: int) -> tuple[Heading, ...]:
    """Nest headings by level; a section ends where the next of its level or above begins.

    Levels may jump: a heading belongs to the nearest earlier one of a smaller level, and
    one without such stands at the root. Headings without a title are passed over.
    """
    entries = sorted((h for h in headers if h[0].strip()), key=lambda h: h[2])
    tree, _ = _sections(entries, 0, 0, text_end)
    return tree


def _sections(
    entries: Sequence[HeaderEntry], at: int, above: int, text_end: int
) -> tuple[tuple[Heading, ...], int]:
    """The sections from ``at`` on whose level is greater than ``above``, and where they end."""
    sections: list[Heading] = []
    while at < len(entries) and entries[at][1] > above:
        title, level, start, page = entries[at]
        children, after = _sections(entries, at + 1, level, text_end)
        end = entries[after][2] if after < len(entries) else text_end
        sections.append(
            Heading(
                title=title.strip(),
                level=level,
                span=CharSpan(start=start, end=max(start, end)),
                page=page,
                children=children,
            )
        )
        at = after
    return tuple(sections), at
