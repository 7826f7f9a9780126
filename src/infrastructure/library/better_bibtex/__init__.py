"""Citation keys of Better BibTeX."""
