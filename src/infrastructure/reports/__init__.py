"""Files that a review is handed over in."""
