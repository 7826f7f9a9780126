"""Headings and their levels, contents and bibliography.

``outlines`` bookmarks matched with lines, contents, bibliographies · ``candidates`` lines set like
headings · ``run_in_headings`` heads at the beginning of a paragraph · ``numbering_sequence``
section numbers in sequence · ``headings`` all headings and their levels.
"""
