"""Ports: protocols that adapters implement, one module a capability."""
