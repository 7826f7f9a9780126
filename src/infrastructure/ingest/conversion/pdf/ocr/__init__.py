"""Optical character recognition of pages without readable text.

``page_ocr`` the pages concerned, rendered and read · ``engine_choice`` the engine by the settings
· ``page_reader`` what an engine returns · ``tesseract``, ``rapidocr`` the engines · ``ocr_words``
words in points with even heights · ``stroke_weight`` bold type · ``ocr_warnings`` warnings and
page numbers for the result · ``text_layer`` words misread in the text layer of a scan.
"""
