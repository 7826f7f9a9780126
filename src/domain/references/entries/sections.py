"""Where a document's reference list is: under a heading of its name, or without one."""

import re
from collections.abc import Iterator, Sequence

from citeloom.domain.documents.conversion import Block, BlockLabel, ConversionResult
from citeloom.domain.references.entries.entry import KEY
from citeloom.domain.references.entries.printed_rows import PROSE, PrintedRow, printed_rows

_TITLES = frozenset(
    """
    references|reference|bibliography|literature|literature cited|works cited|cited works
    |references cited|references and notes|notes and references|notes & references
    |references & notes|sources|reference list
    |cited literature|selected bibliography|literatur|literaturverzeichnis|quellen
    |quellenverzeichnis|bibliographie|références|références bibliographiques|referencias
    |referencias bibliográficas|bibliografía|referências|referências bibliográficas
    |bibliografia|riferimenti bibliografici|riferimenti|literatuur|referenties|referenser
    |referanser|litteratur|kirjallisuus|lähteet|литература|список литературы|参考文献|文献|참고문헌
""".replace("\n", "")
    .replace("    ", "")
    .split("|")
)
_NUMBERING = re.compile(r"^\W*(?:(?:appendix\s+)?(?:\d+(?:\.\d+)*|[a-z]|[ivxlc]+)[.:)]?\s+)?")
_ENTRY_LABELS = frozenset(
    {
        BlockLabel.REFERENCE,
        BlockLabel.TEXT,
        BlockLabel.LIST_ITEM,
        BlockLabel.TABLE,
        BlockLabel.CODE,
        BlockLabel.FOOTNOTE,
        BlockLabel.FORMULA,
    }
)
_BRACKETED = re.compile(r"\[(\d{1,4})\]\s*(?=\S)")
_LEAST_LABELS = 3
_SKIPPED = 3
"""Number of labels in a row that may have been lost."""


def is_reference_section(title: str) -> bool:
    plain = " ".join(title.casefold().split()).rstrip(" .:")
    return plain in _TITLES or _NUMBERING.sub("", plain, count=1) in _TITLES


def reference_sections(
    blocks: Sequence[Block], document: ConversionResult
) -> Iterator[list[Block]]:
    """Blocks of each reference section, and entries outside of any."""
    section: list[Block] = []
    inside: int | None = None
    for block in blocks:
        if block.level is not None:
            if inside is None or block.level <= inside:
                inside = block.level if is_reference_section(document.text_of(block.span)) else None
                if section:
                    yield section
                section = []
        elif block.label == BlockLabel.REFERENCE or (
            inside is not None and block.label in _ENTRY_LABELS
        ):
            section.append(block)
    if section:
        yield section


def unmarked_list(document: ConversionResult) -> list[PrintedRow]:
    """The rows of the last list without a heading block: below a line of text that is such a
    heading, or with bracketed labels from ``[1]`` on. Empty without one."""
    for prose in reversed(list(_between_headings(document.blocks))):
        rows = [
            row._replace(opens=row.opens or bool(_BRACKETED.match(row.text) or KEY.match(row.text)))
            for row in printed_rows(prose, document)
        ]
        titles = [at for at, row in enumerate(rows) if is_reference_section(row.text)]
        if begin := (titles[-1] + 1 if titles else 0) or _first_label(rows):
            return rows[begin - 1 if not titles else begin :]
    return []


def _between_headings(blocks: Sequence[Block]) -> Iterator[list[Block]]:
    prose: list[Block] = []
    for block in blocks:
        if block.level is not None:
            yield prose
            prose = []
        elif block.label in PROSE:
            prose.append(block)
    yield prose


def _first_label(rows: Sequence[PrintedRow]) -> int:
    """The position from 1 of the last row ``[1]`` that increasing labels follow; else 0."""
    labels = [
        (at, int(match[1])) for at, row in enumerate(rows) if (match := _BRACKETED.match(row.text))
    ]
    for begin in range(len(labels) - 1, -1, -1):
        at, number = labels[begin]
        count = 1
        for _, following in labels[begin + 1 :]:
            if number < following <= number + _SKIPPED:
                number, count = following, count + 1
        if labels[begin][1] == 1 and count >= _LEAST_LABELS:
            return at + 1
    return 0
