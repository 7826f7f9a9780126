"""The commands *open*, *read*, *resolve*, *label* and *relations*."""
