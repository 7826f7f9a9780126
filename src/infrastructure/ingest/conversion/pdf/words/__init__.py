"""Words of a page, with exact characters, spaces, heights and direction.

``decode_page`` makes a ``PageRecord`` · ``characters`` pdfium's characters with places, styles and
true ems; ligatures, accents, the mark for what is unreadable · ``page_words`` words in content
order, right-to-left scripts · ``formulas`` fractions, roots, limits and brackets on one line ·
``word_runs`` runs of words on one baseline, gutters, spaces · ``scripts`` super- and subscripts ·
``unreadable_text`` finds pages that need OCR.
"""
