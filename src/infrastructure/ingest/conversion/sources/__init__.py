"""Source files of conversions: their content, its type, and how much of it is read."""
