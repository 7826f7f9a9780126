"""Rebuild of a shard with a graph, in a process of its own."""
