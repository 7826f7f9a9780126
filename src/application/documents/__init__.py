"""Stored documents: lookup, single conversion, reference list, page images."""
