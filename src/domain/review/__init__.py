"""Reviews of a question: planning, evidence, checking of sentences, report."""
