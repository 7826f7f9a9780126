"""The verb *validate*: checks of the workspace, its projects and their works."""
