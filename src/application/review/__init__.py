"""The verb *review*: plan, gather evidence, write and check an answer to a question."""
