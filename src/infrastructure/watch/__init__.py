"""File system watching: change notifications, polling, network mounts."""
