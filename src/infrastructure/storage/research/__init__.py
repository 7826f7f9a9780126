"""The research record in the database of the catalogue."""
