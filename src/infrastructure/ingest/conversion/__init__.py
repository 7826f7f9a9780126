"""Conversion of files to text with places, in worker processes."""
