"""Character maps (/ToUnicode) for fonts that lack one, before pdfium reads the file.

``character_maps`` the file with maps added · ``font_resources`` the fonts of a PDF ·
``simple_fonts`` Type 1 and TrueType, with ``encodings`` · ``type3_fonts`` · ``composite_fonts``
Type 0, with ``truetype_programs`` · ``cff_programs`` names in CFF programs · ``glyph_names``
characters of glyph names · ``font_metrics`` fonts recognised by their metrics ·
``reference_fonts`` encodings and metrics of known fonts · ``to_unicode`` CMaps read and written ·
``data`` what is known of fonts and glyph names beforehand.
"""
