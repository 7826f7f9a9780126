"""The size of an installation for a number of papers."""
