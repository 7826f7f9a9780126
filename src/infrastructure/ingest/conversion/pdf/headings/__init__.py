"""Title, headings and their levels."""
