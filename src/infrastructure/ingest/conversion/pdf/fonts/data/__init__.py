"""What is known of glyph names and fonts beforehand.

``font_files`` reads it. ``adobe_glyphs.txt``, ``tex_glyphs.txt``, ``other_glyphs.txt`` characters
of glyph names · ``winansi.txt``, ``t1.txt``, ``ts1.txt``, ``lasy.txt``, ``wingdings.txt``
encodings ·
``tex_metrics.txt``, ``standard_metrics.txt`` metrics · ``cff_strings.txt`` standard strings of CFF
fonts. The licences are in the files and in NOTICE.
"""
