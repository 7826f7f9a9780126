"""Clock, workspace, atomic files, failures of the operating system."""
