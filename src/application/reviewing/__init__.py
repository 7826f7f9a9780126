"""The verb *review*: what a project says on a question, gathered, checked, written down."""
