"""Adapter: pictures of pages."""
