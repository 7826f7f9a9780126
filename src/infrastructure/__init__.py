"""The outside: adapters, one folder a port, and the driving adapters."""
