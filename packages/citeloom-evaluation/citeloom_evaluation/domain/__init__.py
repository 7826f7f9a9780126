"""Judged questions, measures and the search for weights."""
