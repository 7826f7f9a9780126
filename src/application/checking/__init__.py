"""What *validate* looks at, one module a subject."""
