"""Relations between resources: found in what is stored, not stored again."""
