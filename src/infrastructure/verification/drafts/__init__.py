"""Parsers of drafts: Markdown, LaTeX, Typst, Word, plain text."""
