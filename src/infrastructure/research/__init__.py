"""Exports of reviews: Markdown, DOCX, CSV, PRISMA-like record."""
