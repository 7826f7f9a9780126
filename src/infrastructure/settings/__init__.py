"""Settings: files, environment, flags."""
