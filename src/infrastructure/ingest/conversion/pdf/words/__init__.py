"""Words of a page, with exact characters, spaces, heights and direction.

``decode_page`` makes a ``PageRecord`` of docling-parse's cells · ``pdfium_text`` restores dashes,
quotes and spaces, with ``formula_symbols`` and ``unspaced_text`` · ``hidden_words`` drops words
that the page does not show · ``unreadable_text`` finds pages that need OCR · ``word_heights``
normalises heights · ``font_faces`` bold, italic, mathematics by font name · ``glyphs``
ligatures, accents, scripts · ``word_spacing`` text of words on one baseline · ``bidi``
right-to-left scripts.
"""
