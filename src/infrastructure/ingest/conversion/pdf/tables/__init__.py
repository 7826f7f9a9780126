"""Table regions and their cells."""
