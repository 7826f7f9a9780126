"""Jobs in the catalogue's database."""
