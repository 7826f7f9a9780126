"""Research sessions: record, lifecycle, preferences, export, comparison."""
