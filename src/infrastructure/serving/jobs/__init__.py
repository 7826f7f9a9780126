"""Jobs that outlast a call: ingests, reviews, verifications."""
