"""The verb *ingest*: files to converted, indexed and cited documents."""
