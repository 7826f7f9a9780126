"""Converters: files to text with places."""
