"""BibTeX and BibLaTeX files."""

from citeloom.infrastructure.references.bib.reading import read_bib

__all__ = ["read_bib"]
