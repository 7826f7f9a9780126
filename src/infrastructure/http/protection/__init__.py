"""What keeps a server from harm: limits, headers, and who may change anything."""
