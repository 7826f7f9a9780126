"""Headings and their levels, contents and bibliography.

``outlines`` bookmarks matched with lines · ``line_contrast`` what sets a line off from the text ·
``heading_words`` words that a heading may have · ``candidates`` lines set like headings ·
``run_in_headings`` section numbers and names at the beginning of a paragraph ·
``paragraph_heads`` other words there · ``numbering_sequence`` section numbers in sequence ·
``inferred_headings`` the choice without an outline · ``headings`` all headings, their levels ·
``contents_and_references`` lines of tables of contents and bibliographies.
"""
