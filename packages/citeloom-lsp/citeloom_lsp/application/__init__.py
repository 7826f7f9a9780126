"""Questions of a person who writes: works, pages, citations, facts about a citation."""
