"""Locks between the processes of a machine."""
