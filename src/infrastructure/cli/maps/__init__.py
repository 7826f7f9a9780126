"""The commands *map*, *structure*, *list*, *check-map*, *adapt* and *resolve*."""
