"""Handing over what a review found: the verbs *session export* and *session compare*."""
