"""What a server tells of its own work: lines of the log, figures, traces."""
