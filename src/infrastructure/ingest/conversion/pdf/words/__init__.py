"""Words of a page, with exact characters, spaces, heights and direction.

``decode_page`` makes a ``PageRecord`` · ``page_characters`` pdfium's characters with places and
styles · ``font_heights`` true ems of fonts · ``page_words`` words in content order ·
``unreadable_text`` finds pages that need OCR · ``font_faces`` bold, italic, mathematics by font
name · ``glyphs`` ligatures, accents, scripts · ``word_spacing`` text of words on one baseline ·
``gutters`` narrow column gutters · ``word_runs`` runs of words on one baseline · ``bidi``
right-to-left scripts.
"""
