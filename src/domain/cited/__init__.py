"""Cited works: what reference lists say."""
