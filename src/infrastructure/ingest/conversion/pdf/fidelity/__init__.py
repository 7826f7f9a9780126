"""Fidelity of pages: the laid-out text against pdfium's own, and the plain layout of failed pages.

``page_text`` a page's text compared with the independent reading · ``plain_columns`` lines in
the order of the content stream.
"""
