"""Drafts in Markdown, LaTeX, Typst, DOCX and plain text."""
