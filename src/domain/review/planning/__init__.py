"""Search plans: question decomposition, facets, reflection."""
