"""A CSL 1.0.2 processor: citations and bibliographies in a style."""
