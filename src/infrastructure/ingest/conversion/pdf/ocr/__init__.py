"""Optical character recognition of pages without readable text."""
