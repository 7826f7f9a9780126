"""What is known of glyph names and fonts beforehand.

``font_files`` reads it: glyph lists, encodings and metrics that docling-parse brings along, and the
tables here of what is in none of them. ``cff_strings.txt`` standard strings of CFF fonts ·
``other_glyphs.txt`` characters of further glyph names · ``t1.txt``, ``ts1.txt``, ``lasy.txt``,
``wingdings.txt`` encodings.
"""
