"""Places in documents and files: finding, showing, cutting out, labels, relations."""
