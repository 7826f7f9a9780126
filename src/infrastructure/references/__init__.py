"""Reference files: format detection, readers, writers, citation keys."""
