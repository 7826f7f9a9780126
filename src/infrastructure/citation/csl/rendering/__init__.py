"""Rendering elements of CSL: names, dates, numbers, text."""
