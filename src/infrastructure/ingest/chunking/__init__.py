"""Structure-aware chunking."""
