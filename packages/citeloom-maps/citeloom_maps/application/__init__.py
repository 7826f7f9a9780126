"""Titles and summaries of map nodes by a language model."""
