"""Segmentation of a page: columns of text, figures, tables, heads and feet.

``page_segments`` by what the page looks like · ``plain_columns`` by the order of its words alone,
for pages whose text came out wrong.
"""
