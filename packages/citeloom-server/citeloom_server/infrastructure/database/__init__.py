"""PostgreSQL: connections, locks, the move of a catalogue."""
