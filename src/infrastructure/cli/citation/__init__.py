"""The commands *cite* and *export*."""
