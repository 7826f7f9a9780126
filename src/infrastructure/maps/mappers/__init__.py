"""Resource maps of files, one module a kind of file."""
