"""The report of a review: model, source keys, citation markers, Markdown."""
