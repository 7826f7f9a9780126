"""Wiring of what principals see."""
