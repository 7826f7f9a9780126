"""Research record in the database of the catalogue."""
