"""The commands *project*, *inspect*, *validate* and *config*."""
