"""Adapters, one package for each capability; the composition root; the driving adapters."""
