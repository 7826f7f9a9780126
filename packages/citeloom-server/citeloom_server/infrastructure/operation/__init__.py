"""Operators' view of a server: health, activity, audit trail."""
