"""The commands *models*."""
