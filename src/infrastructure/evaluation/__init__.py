"""Adapters of the evaluation ports: data sets on disk, measures of rankings."""
