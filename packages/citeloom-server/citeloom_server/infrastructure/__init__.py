"""Adapters of larger engines: Qdrant server, PostgreSQL, object store, shared files, Dask."""
