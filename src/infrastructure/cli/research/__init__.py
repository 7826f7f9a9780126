"""The commands *session*, *feedback* and *preferences*."""
