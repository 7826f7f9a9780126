"""Writing to shared engines, one process at a time."""
