"""Who may do what: principals, their roles in projects, their rights."""
