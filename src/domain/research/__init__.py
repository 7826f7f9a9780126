"""Research sessions: events, lifecycle, evidence table, comparison."""
