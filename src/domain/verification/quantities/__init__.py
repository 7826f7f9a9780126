"""Quantities of prose: extraction, units, comparison."""
