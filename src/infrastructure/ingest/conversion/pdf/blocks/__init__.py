"""Paragraphs, lists, footnotes, figures and formulas."""
