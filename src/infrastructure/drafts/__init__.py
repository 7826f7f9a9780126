"""Adapters that read drafts: Markdown, LaTeX, Typst, DOCX and plain text."""
