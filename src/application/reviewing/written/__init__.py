"""A review that a language model writes: each sentence checked by itself before it is told."""
