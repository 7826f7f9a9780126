"""Resource maps of code, recordings, JSON and other tools' output for CiteLoom."""
