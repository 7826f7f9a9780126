"""Files of a collection: locks, checksums and copies."""
