"""Converted documents: text, outline, spans and chunks."""
