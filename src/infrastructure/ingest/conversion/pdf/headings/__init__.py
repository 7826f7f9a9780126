"""Headings and their levels, contents and bibliography.

``outlines`` bookmarks matched with lines · ``candidates`` lines set like headings ·
``run_in_headings`` section numbers and names at the beginning of a paragraph ·
``paragraph_heads`` other words there · ``numbering_sequence`` section numbers in sequence ·
``headings`` the decision and the levels · ``contents_and_references`` lines of tables of contents
and bibliographies.
"""
