"""The stores of a workspace as a principal sees them: what it may not read is not there."""
