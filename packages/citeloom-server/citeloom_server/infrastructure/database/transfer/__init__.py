"""The catalogue moved between databases."""
