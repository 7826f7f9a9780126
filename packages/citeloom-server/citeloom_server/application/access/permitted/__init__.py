"""The stores of a workspace for a principal, without anything that it may not read."""
