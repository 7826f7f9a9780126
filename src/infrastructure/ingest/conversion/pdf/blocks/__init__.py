"""Blocks: paragraphs, lists, captions, footnotes, formulas, tables, figures.

``figures``, ``figure_labels`` figure boxes and the text in them · ``blocks`` label and extent of
each block, with ``footnotes`` and ``formulas`` · ``table_blocks`` grids of table blocks ·
``masthead`` text above the title · ``paragraph_joins`` paragraphs across columns and pages ·
``lists`` depth of list items · ``block_text`` hyphenation and offsets · ``table_text`` rows of
known cells · ``page_text`` a page's text compared with an independent reading.
"""
