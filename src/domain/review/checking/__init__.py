"""Checks of a written sentence: certainty, qualifiers, faithfulness to its source."""
