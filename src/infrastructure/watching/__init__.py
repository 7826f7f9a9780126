"""Being told when files change."""
