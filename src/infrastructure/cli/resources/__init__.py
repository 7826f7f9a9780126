"""The commands *read*, *label* and *relations*."""
