"""Lines, columns, reading order, running heads and feet.

``dropcaps`` large initials joined to their words · ``lines`` text lines · ``lead_in`` beginnings of
lines in another face · ``line_numbers`` numbers of a manuscript's lines · ``running_heads`` heads,
feet, page numbers · ``captions`` captions on a page · ``reading_order`` columns, full-width bands,
margin notes · ``content_order`` columns in the order of the page's content · ``line_flow`` the
document's lines in reading order with its usual size, font and line pitch · ``numbering``,
``vocabulary`` section numbers and words that say what a line is.
"""
