"""The pure part of writing in an editor: unfinished citations, and where to insert citations."""
