"""Reading: documents by their knowledge URIs, in parts that fit a model's window."""
