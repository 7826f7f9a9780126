"""Reference files: format detection, reading, writing, citation keys."""
