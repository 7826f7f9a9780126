"""Ports: protocols that adapters implement, one module for each capability."""
