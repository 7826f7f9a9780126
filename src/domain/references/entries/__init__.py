"""Entries of printed reference lists: authors, dates, titles."""
