"""PDF conversion. Importing this package is cheap; ``convert`` loads docling.

The page: ``records`` what is kept of it · ``backend``, ``parse`` docling-parse's cells ·
``exact``, ``symbols``, ``glyphs`` what these lose · ``unseen`` words that are not shown ·
``metrics``, ``faces`` sizes and faces of type.

Its order: ``lines``, ``joining``, ``leads`` lines of words · ``bidi`` right to left ·
``gutters``, ``columns`` reading order · ``furniture``, ``masthead`` heads and feet · ``figures``,
``figure_labels`` drawings and their text · ``regions``, ``wrapped`` where tables are.

What stands there: ``outlines``, ``headings``, ``candidates``, ``runins``, ``numbering``,
``sequence``, ``names``, ``contents`` sections · ``title`` title and authors · ``tables``,
``cells`` tables, with ``grids``, ``lattice``, ``spaced``, ``grid_columns``, ``grid_rows``,
``wrapping``, ``table_text`` their cells · ``formulas`` · ``footnotes`` · ``flow``, ``blocks``,
``dropcaps``, ``lists`` paragraphs and the rest · ``continuation`` paragraphs over breaks ·
``text`` hyphenation and offsets.

All of it: ``layout`` in order · ``document`` as a ``DoclingDocument`` · ``pipeline`` docling's
pipeline · ``labels``, ``identifiers``, ``access`` what the file says of itself · ``result``,
``convert`` CiteLoom's own result.

Pages without readable text: ``mojibake`` finds them, ``ocr`` has them read, ``engines``
chooses between ``tesseract`` and ``rapid``, ``reading`` is what these give, ``notes`` what a
person is told. ``neural`` is docling's standard pipeline, in place of all of the layout.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from citeloom.infrastructure.conversion.reporting import Report, nobody

if TYPE_CHECKING:
    from pathlib import Path

    from citeloom.domain.conversion import ConversionResult
    from citeloom.infrastructure.conversion.options import Options


def convert_pdf(
    path: Path,
    doc_id: str,
    password: str | None = None,
    options: Options | None = None,
    report: Report = nobody,
) -> ConversionResult:
    """See ``convert.convert_pdf``; imports docling on the first call."""
    from citeloom.infrastructure.conversion.pdf.convert import convert_pdf as convert

    return convert(path, doc_id, password, options, report)


__all__ = ["convert_pdf"]
