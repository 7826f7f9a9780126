"""Words of a page: decoding, fonts, heights, direction, spacing."""
