"""The roles of a review played by a language model; every sentence is checked."""
