"""Formats of reference files: CSL-JSON, CSL-YAML, RIS, MEDLINE, Zotero JSON."""
