"""Research: a review of a question over a project, and the record that is kept of it."""
