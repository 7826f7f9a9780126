"""Adapters of the evaluation ports: BEIR datasets, ranking measures."""
