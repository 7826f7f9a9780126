"""Resource maps of documents and files: lookup, refinement, resolution of nodes."""
