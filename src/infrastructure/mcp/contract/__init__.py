"""Schemas, parameters and errors of the tools."""
