"""What the verbs need from outside: one protocol a file."""
