"""Changes of files: watcher, polling."""
