"""Writing, weighting, moving and removing the passages of a project in its index."""
