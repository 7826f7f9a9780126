"""Projects: identity, embedding model, index place, fusion policy."""
