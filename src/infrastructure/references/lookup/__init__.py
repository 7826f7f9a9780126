"""Look-up of works at public services of bibliographic records."""
