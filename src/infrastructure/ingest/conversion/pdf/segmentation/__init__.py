"""Segmentation of a page: columns of text, figures, tables, heads and feet.

``page_segments`` by what the page looks like · ``laid_figures`` figures, their captions and
the text in them · ``plain_columns`` by the order of its words alone,
for pages whose text came out wrong.
"""
