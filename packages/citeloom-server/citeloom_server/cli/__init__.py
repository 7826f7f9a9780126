"""Commands of a group's server."""
