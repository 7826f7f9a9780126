"""Fields of bibliographic records: dates, names, LaTeX, Zotero extra."""
