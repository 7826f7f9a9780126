"""Wiring of what operators of a server ask for."""
