"""Adapters of the ingest ports: source files, bundles, journal."""
