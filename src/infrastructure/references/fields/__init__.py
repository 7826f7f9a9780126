"""Fields of bibliographic records: dates, names, LaTeX, Zotero's Extra field."""
