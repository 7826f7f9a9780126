"""Judgement of a claim: quantities, quotations, polarity, contradictions."""
