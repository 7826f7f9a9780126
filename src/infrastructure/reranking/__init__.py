"""Scores for pairs of query and passage: the bundled cross-encoder, or fastembed's."""
