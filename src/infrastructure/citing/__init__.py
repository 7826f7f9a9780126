"""Adapters of the port ``CitationStyles``: citations in the styles of CSL."""
