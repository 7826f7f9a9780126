"""Jobs as answers and as events."""
