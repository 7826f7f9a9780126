"""Cache of text vectors."""
