"""Quotable sentences: selection, agreement, injected instructions."""
