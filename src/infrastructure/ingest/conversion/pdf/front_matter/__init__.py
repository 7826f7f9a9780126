"""Front matter of the document.

``title`` title and authors' block on the page, with the metadata and the file's name · ``people``
names of people · ``bibliography`` title, authors, year and identifiers judged together.
"""
