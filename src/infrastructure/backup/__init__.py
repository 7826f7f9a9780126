"""Backups of a whole workspace: one verified file, and its restoration."""
