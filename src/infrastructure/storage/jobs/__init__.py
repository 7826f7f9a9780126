"""Jobs, and answers to requests with a key, in the catalogue's database."""
