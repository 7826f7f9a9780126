"""Ingest on a Dask cluster: documents are tasks."""
