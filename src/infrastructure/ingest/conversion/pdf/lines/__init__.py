"""Lines, columns, reading order, running heads and feet."""
