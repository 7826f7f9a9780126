"""Adapters, a package a capability; the composition root; the driving adapters."""
