"""What a page draws, by pdfium: shapes, rules, pictures, and which text a reader sees.

``pdfium_objects`` the painted objects from the lowest to the topmost · ``hidden_text`` text that
a reader does not see, with ``text_ink`` (pixels) as the arbiter · ``page_objects`` shapes, lines,
pictures and hidden text of a page · ``readable_words`` which hidden words are read all the same,
and what is filled into forms.
"""
