"""Request and report of an ingest."""
